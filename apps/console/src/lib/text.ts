/** Usernames over 15 characters: the first 12 and three dots. Counted in code points. */
export function shortUsername(name: string): string {
  const characters = [...name]
  return characters.length > 15 ? `${characters.slice(0, 12).join('')}...` : name
}

/** "a,b c\nd" is four names. Duplicates are dropped. */
export function splitNames(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,，、;]+/u).filter((name) => name !== ''))]
}

export type GroupTone = 'yellow' | 'red' | 'grey'

/** The groups of a comma-separated list, sorted; an empty list means `default`. */
export function groupTags(list: string): readonly { readonly name: string; readonly tone: GroupTone }[] {
  const names = splitNames(list)
  return (names.length === 0 ? ['default'] : [...names].sort()).map((name) => ({ name, tone: groupTone(name) }))
}

function groupTone(name: string): GroupTone {
  if (name === 'vip' || name === 'pro') return 'yellow'
  return name === 'svip' || name === 'premium' ? 'red' : 'grey'
}

/** The parts of a secret that distinguish two secrets. */
export function maskSecret(secret: string): string {
  return secret.length <= 8 ? '•'.repeat(8) : `${secret.slice(0, 4)}••••${secret.slice(-4)}`
}

/** Marks that turn the direction of what follows. */
export const turning = /[\u202A-\u202E\u2066-\u2069]/g
/** Letters of Hebrew, Arabic and their neighbours, which are written from right to left. */
const rightToLeft = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFC]/

/** A value that stands in a sentence: it keeps its direction to itself. Texts without another direction stay as they are. */
export function isolated(value: string): string {
  const plain = value.replaceAll(turning, '')
  return rightToLeft.test(plain) ? `\u2068${plain}\u2069` : plain
}

/** Class names of the truthy parts, in order. */
export function cx(...parts: readonly (string | false | null | undefined)[]): string {
  return parts.filter(Boolean).join(' ')
}
