/** A text that a query finds. */
export interface Match {
  /** Higher = better. */
  readonly score: number
  /** Positions of the found characters, in UTF-16 units. */
  readonly at: readonly number[]
}

const startOfWord = 8
const afterAnother = 9
const elsewhere = 1

/** Below this average a match is a coincidence. */
const scoreMin = 4

/** A short text is the better match of two that are equal otherwise. */
const lengthCost = 0.01

interface Character {
  readonly at: number
  readonly folded: string
  readonly startsWord: boolean
}

/**
 * Finds the characters of a query in a text, in order and not necessarily side by side: `nt` and `newtok` find "New token". Words of a
 * query are found in any order. Case and accents are ignored. `null` = not found.
 */
export function fuzzyMatch(query: string, text: string): Match | null {
  const characters = charactersOf(text)
  const words = query.trim().split(/\s+/)
  const wordMatches = words.map((word) => bestOf(charactersOf(word), characters))
  if (wordMatches.some((match) => match === null)) return null
  const matches = wordMatches.flatMap((match) => match ?? [])
  const length = words.join('').length
  return {
    score: matches.reduce((sum, { score }) => sum + score, 0) / length - lengthCost * characters.length,
    at: [...new Set(matches.flatMap(({ at }) => at))].sort((a, b) => a - b),
  }
}

function charactersOf(text: string): readonly Character[] {
  let at = 0
  let previous = ' '
  return [...text].map((character) => {
    const here = at
    at += character.length
    // Each Chinese character is a word.
    const startsWord = !/[\p{L}\p{N}]/u.test(previous) || /\p{Script=Han}/u.test(character) || isHump(previous, character)
    previous = character
    return { at: here, folded: character.normalize('NFKD').slice(0, 1).toLowerCase(), startsWord }
  })
}

const isHump = (previous: string, character: string): boolean => /\p{Ll}/u.test(previous) && /\p{Lu}/u.test(character)

/** The best places of a word's characters, found from the first to the last. */
function bestOf(word: readonly Character[], text: readonly Character[]): Match | null {
  const ends = word.reduce<readonly (Match | null)[]>(
    (before, { folded }, index) => endsAfter(index === 0 ? null : before, folded, text),
    text.map(() => null),
  )
  const best = word.length === 0 ? start : ends.reduce(better, null)
  return best !== null && best.score >= scoreMin * word.length ? best : null
}

/** For each place of the text that has the character: the best match that ends there, after those of the characters before it. */
function endsAfter(before: readonly (Match | null)[] | null, folded: string, text: readonly Character[]): readonly (Match | null)[] {
  let earlier: Match | null = before === null ? start : null
  return text.map((character, place) => {
    const adjacent = before?.[place - 1] ?? null
    earlier = better(earlier, adjacent)
    if (character.folded !== folded) return null
    return better(step(adjacent, character, afterAnother), step(earlier, character))
  })
}

const start: Match = { score: 0, at: [] }

function step(from: Match | null, { at, startsWord }: Character, gain = elsewhere): Match | null {
  return from && { score: from.score + (startsWord ? startOfWord : gain), at: [...from.at, at] }
}

function better(one: Match | null, other: Match | null): Match | null {
  return other === null || (one !== null && one.score >= other.score) ? one : other
}
