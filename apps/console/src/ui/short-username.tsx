import { shortUsername } from '../lib/text.ts'

/** A username, cut if it is long; the pointer and screen readers find the whole one. */
export function ShortUsername({ name }: { readonly name: string }) {
  const short = shortUsername(name)
  if (short === name) return <bdi>{name}</bdi>
  return (
    <span title={name}>
      <bdi aria-hidden>{short}</bdi>
      <span className="sr-only">{name}</span>
    </span>
  )
}
