/** Origins that pages of the console show in a frame: the chat and the pages that the texts of administrators are or show. */
export function framedOrigins(addresses: readonly string[]): readonly string[] {
  return [...new Set(addresses.flatMap((address) => URL.parse(address)?.origin ?? []))]
}
