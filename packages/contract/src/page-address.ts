/** A public text that is only an address means the page there, which consoles show in a frame. */
export function isPageAddress(text: string): boolean {
  return /^https?:\/\/\S+$/i.test(text.trim())
}
