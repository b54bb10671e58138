import { lookup } from 'node:dns/promises'

/** The addresses of a name, by the system's resolver. Empty: it is not found. */
export async function lookUpName(host: string): Promise<readonly string[]> {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address)
  } catch {
    return []
  }
}
