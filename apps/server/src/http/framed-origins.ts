import type { Settings } from '@sluice/contract'

/** Sites that pages of the console show in a frame: the chat, and what stands for the home page and the about page, where that is an address. */
export function framedOrigins({ ChatLink, HomePageContent, About }: Settings): readonly string[] {
  const addresses = [ChatLink, ...[HomePageContent, About].filter((text) => /^https?:\/\/\S+$/.test(text))]
  return addresses.flatMap((address) => URL.parse(address)?.origin ?? [])
}
