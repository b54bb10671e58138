export function TokenListPage() {
  return <h1>Tokens</h1>
}
