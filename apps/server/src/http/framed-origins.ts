import { isPageAddress, type Settings } from '@sluice/contract'

/**
 * Origins that pages of the console show in a frame: the chat, home and about page if they are addresses, and frames within the texts of
 * administrators.
 */
export function framedOrigins({ ChatLink, HomePageContent, About, Notice, Footer }: Settings): readonly string[] {
  const pages = [HomePageContent, About].filter(isPageAddress)
  const framed = [HomePageContent, About, Notice, Footer].flatMap(addressesOfFrames)
  return [...new Set([ChatLink, ...pages, ...framed].flatMap((address) => URL.parse(address)?.origin ?? []))]
}

function addressesOfFrames(text: string): readonly string[] {
  return [...text.matchAll(/<iframe\b[^>]*?\bsrc\s*=\s*["']?(https?:\/\/[^\s"'<>]+)/gi)].map(([, address = '']) => address)
}
