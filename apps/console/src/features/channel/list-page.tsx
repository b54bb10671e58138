export function ChannelListPage() {
  return <h1>Channels</h1>
}
