export function TokenAddPage() {
  return <h1>Token</h1>
}

export function TokenEditPage() {
  return <h1>Token</h1>
}
