import type { LinkProps } from '@tanstack/react-router'
import type { LucideIcon } from 'lucide-react'
import { useEffect, useEffectEvent } from 'react'

/** What the command palette offers: a page to go to, or something to do. */
export type Command = CommandFace & ({ readonly link: CommandLink } | { readonly run: () => void })

interface CommandFace {
  readonly id: string
  readonly label: string
  readonly icon: LucideIcon
  /** Beside the label. */
  readonly note?: string
  /** The keys that do the same. */
  readonly keys?: readonly string[]
  /** Further words that find it. */
  readonly words?: string
  readonly isDangerous?: boolean
  readonly isChosen?: boolean
}

export interface CommandLink {
  readonly to: NonNullable<LinkProps['to']>
  readonly params?: Readonly<Record<string, string>>
  readonly search?: Readonly<Record<string, string | number>>
}

export interface CommandGroup {
  readonly title: string
  readonly commands: readonly Command[]
}

type Reader = (from: Element | null) => CommandGroup | null

const readers = new Set<Reader>()

/** The commands of the shown page. `from` had the focus when the palette was opened. */
export function pageCommands(from: Element | null): readonly CommandGroup[] {
  return [...readers].flatMap((read) => read(from) ?? [])
}

/** Offers commands while the component is shown. They are read each time the palette opens. */
export function usePageCommands(read: Reader): void {
  const latest = useEffectEvent(read)
  useEffect(() => {
    const reader: Reader = (from) => latest(from)
    readers.add(reader)
    return () => {
      readers.delete(reader)
    }
  }, [])
}
