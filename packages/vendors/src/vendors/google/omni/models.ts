/** Google's models that make videos in the course of a conversation, with or without a path before their name. */
export function isOmni(model: string): boolean {
  return /(?:^|\/)gemini-omni-/.test(model)
}
