export function ChannelAddPage() {
  return <h1>Channel</h1>
}

export function ChannelEditPage() {
  return <h1>Channel</h1>
}
