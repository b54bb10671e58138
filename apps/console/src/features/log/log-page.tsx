export function LogPage() {
  return <h1>Logs</h1>
}
