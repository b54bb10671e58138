/** From 0 (too short) to 4 (strong). */
export type Strength = 0 | 1 | 2 | 3 | 4

const shortest = 8

/** Bits from which a password is fair, good and strong. */
const levels = [40, 60, 80] as const

/** Kinds of characters and how many of each there are. */
const kinds: readonly (readonly [RegExp, number])[] = [
  [/[a-z]/, 26],
  [/[A-Z]/, 26],
  [/\d/, 10],
  [/[ -/:-@[-`{-~]/, 33],
  [/[^\x20-\x7e]/, 100],
]

/** A rough guess: what it is made of, less what repeats or continues the character before. */
export function passwordStrength(password: string): Strength {
  const characters = [...password]
  if (characters.length < shortest) return 0
  const alphabet = kinds.reduce((sum, [kind, size]) => sum + (kind.test(password) ? size : 0), 0)
  const bits = surprising(characters) * Math.log2(alphabet)
  // Holds: there are three levels, so at most three are reached.
  return (1 + levels.filter((level) => bits >= level).length) as Strength
}

/** Characters that do not repeat or continue (abc, 321) the one before; each further occurrence counts half. */
function surprising(characters: readonly string[]): number {
  const seen = new Set<string>()
  let sum = 0
  let before = Number.NaN
  for (const character of characters) {
    const code = character.codePointAt(0) ?? 0
    const isExpected = Math.abs(code - before) <= 1
    sum += isExpected ? 0.1 : seen.has(character) ? 0.5 : 1
    seen.add(character)
    before = code
  }
  return sum
}
