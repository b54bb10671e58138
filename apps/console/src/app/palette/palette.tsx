import { account } from '@sluice/contract'
import { useRouter } from '@tanstack/react-router'
import { useState } from 'react'
import { fuzzyMatch } from '../../lib/fuzzy.ts'
import type { Command, CommandGroup } from '../../lib/page-commands.ts'
import { useSession } from '../../lib/session.ts'
import { modifierName } from '../../lib/shortcuts.ts'
import { useT } from '../../lib/t.ts'
import { useRead } from '../../lib/use-call.ts'
import { CommandDialog, type MatchGroup } from '../../ui/command-dialog.tsx'
import { KeyCaps } from '../../ui/key-caps.tsx'
import { readRecents, recentCommands, rememberCommand } from './recents.ts'
import { useCommands } from './use-commands.ts'
import { type SearchResults, useSearchResults } from './use-search-results.ts'

interface PaletteProps {
  readonly isOpen: boolean
  /** The commands of the page and its rows. */
  readonly pageGroups: readonly CommandGroup[]
  readonly onClose: () => void
}

/** Everything that the reader may do, found by typing. */
export function Palette({ isOpen, pageGroups, onClose }: PaletteProps) {
  const t = useT()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState<Command | null>(null)
  const perform = usePerform()
  const { groups, status, remember } = usePaletteGroups(isOpen ? text : '', isOpen, pageGroups)
  const choose = (command: Command, isNewTab: boolean) => {
    remember(command)
    onClose()
    if (isNewTab && 'link' in command) perform.inNewTab(command.link)
    // The dialog gives the focus back first, so that what follows may take it.
    else setChosen(command)
  }
  const closed = () => {
    setText('')
    setChosen(null)
    if (chosen !== null) perform.here(chosen)
  }
  return (
    <CommandDialog
      title={t('palette.open')}
      placeholder={t('palette.placeholder')}
      isOpen={isOpen}
      onClose={onClose}
      onClosed={closed}
      text={text}
      onText={setText}
      groups={groups}
      status={status}
      onChoose={choose}
      foot={<Foot />}
    />
  )
}

type LinkOf = Extract<Command, { readonly link: unknown }>['link']

function usePerform() {
  const router = useRouter()
  return {
    // Holds: a command's link names a route with its parameters.
    inNewTab: (link: LinkOf) => void open(router.buildLocation(link as never).publicHref, '_blank', 'noopener'),
    // Holds for the same reason.
    here: (command: Command) => ('link' in command ? void router.navigate(command.link as never) : command.run()),
  }
}

function usePaletteGroups(text: string, isOpen: boolean, pageGroups: readonly CommandGroup[]) {
  const t = useT()
  const { isSignedIn, isAdmin } = useSession()
  const { data: self } = useRead(account.self, { input: {}, isEnabled: isOpen && isSignedIn, freshMs: 60_000, isSilent: true })
  const accountId = isSignedIn ? (self?.id ?? 0) : 0
  const everywhere = useCommands()
  const searchResults = useSearchResults(text)
  const groups = [...pageGroups, ...everywhere].filter(({ commands }) => commands.length > 0)
  const known = everywhere.flatMap(({ commands }) => commands)
  const recents = recentCommands(readRecents(accountId), known, (kind) => isSignedIn && (isAdmin || kind === 'token'))
  const recent: CommandGroup = {
    title: t('palette.recent'),
    commands: recents.map((command) => ({ ...command, id: `recent:${command.id}` })),
  }
  const visibleGroups =
    text.trim() === '' ? [recent, ...groups].flatMap(unfiltered) : [...filtered(groups, text), ...resultGroups(searchResults, t)]
  return {
    groups: visibleGroups,
    status: useStatusText(text, searchResults, visibleGroups.length === 0),
    remember: (command: Command) => rememberCommand(accountId, { ...command, id: command.id.replace(/^recent:/, '') }),
  }
}

function unfiltered({ title, commands }: CommandGroup): readonly MatchGroup[] {
  return commands.length === 0 ? [] : [{ title, matches: commands.map((command) => ({ command, at: [] })) }]
}

/** The commands that a text finds: in each group the best first, and the group with the best one first. */
function filtered(groups: readonly CommandGroup[], text: string): readonly MatchGroup[] {
  const scored = groups.flatMap(({ title, commands }) => {
    const matches = commands.flatMap((command) => {
      const match = matchOf(command, text)
      return match === null ? [] : [{ command, ...match }]
    })
    const hits = matches.sort((a, b) => b.score - a.score)
    return hits.length === 0 ? [] : [{ title, matches: hits, best: hits[0]?.score ?? 0 }]
  })
  return scored.sort((a, b) => b.best - a.best)
}

/** The score of what is found by the beginning of a word that its label does not have: less than by that of its label's. */
const scoreOfWords = 6

function matchOf({ label, words = '' }: Command, text: string) {
  const byLabel = fuzzyMatch(text, label)
  if (byLabel !== null) return byLabel
  const typed = text.trim().toLowerCase()
  return words.split(' ').some((word) => word.startsWith(typed)) ? { score: scoreOfWords, at: [] } : null
}

function resultGroups(searchResults: readonly SearchResults[], t: ReturnType<typeof useT>): readonly MatchGroup[] {
  return searchResults.flatMap(({ kind, commands }) => unfiltered({ title: t(`palette.found.${kind}`), commands }))
}

function useStatusText(text: string, searchResults: readonly SearchResults[], isEmpty: boolean): string {
  const t = useT()
  if (text.trim() === '') return ''
  if (searchResults.some(({ isSearching }) => isSearching)) return t('palette.searching')
  if (searchResults.some(({ hasFailed }) => hasFailed)) return t('palette.failed')
  return isEmpty ? t('palette.none', { text: text.trim() }) : ''
}

function Foot() {
  const t = useT()
  return (
    <div className="flex flex-wrap gap-x-4 gap-y-1 border-t px-4 py-2 text-xs text-muted max-sm:hidden touch:hidden">
      <span className="flex items-center gap-1.5">
        <KeyCaps keys={['↑', '↓']} /> {t('palette.foot.choose')}
      </span>
      <span className="flex items-center gap-1.5">
        <KeyCaps keys={['Enter']} /> {t('palette.foot.run')}
      </span>
      <span className="flex items-center gap-1.5">
        <KeyCaps keys={[modifierName(), 'Enter']} /> {t('palette.foot.newTab')}
      </span>
    </div>
  )
}
