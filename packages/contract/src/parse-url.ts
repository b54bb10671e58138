/** The parts of an address; `null` = it is not one. Browsers of the console's list (`docs/browsers.md`) do not have `URL.parse`. */
export function parseUrl(address: string): URL | null {
  try {
    return new URL(address)
  } catch {
    return null
  }
}
