/** Google's models of videos, with or without a path before their name. */
export function isVeo(model: string): boolean {
  return /(?:^|\/)veo-\d/.test(model)
}
