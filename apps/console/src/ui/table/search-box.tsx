import { Search, X } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import { searchTextMax } from '../../lib/filters.ts'
import { useKey, useShortcuts } from '../../lib/shortcuts.ts'
import { useT } from '../../lib/t.ts'
import { useIsPhone } from '../../lib/use-media.ts'
import { Input } from '../input.tsx'
import type { SearchBox } from './use-search-box.ts'

interface SearchFieldProps {
  readonly box: SearchBox
  /** Names the fields that are searched. */
  readonly label: string
}

/** `/` focuses it, Enter searches at once, Esc clears it. */
export function SearchField({ box, label }: SearchFieldProps) {
  const t = useT()
  // The bar of a phone has no room for the names of the fields.
  const isPhone = useIsPhone()
  const hasShortcuts = useShortcuts()
  useKey('/', () => box.input.current?.select())
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return
    if (event.key === 'Enter') box.search()
    if (event.key !== 'Escape') return
    if (box.text === '') box.input.current?.blur()
    else box.commit('')
  }
  return (
    <search className="relative min-w-0 flex-1 basis-32 sm:max-w-72 sm:basis-48">
      <Search aria-hidden className="pointer-events-none absolute inset-y-0 left-2.5 my-auto size-4 text-muted" />
      <Input
        ref={box.input}
        type="text"
        role="searchbox"
        aria-label={label}
        aria-keyshortcuts={hasShortcuts ? '/' : undefined}
        placeholder={isPhone ? t('list.search') : label}
        value={box.text}
        maxLength={searchTextMax}
        onChange={({ target }) => box.type(target.value)}
        onKeyDown={onKeyDown}
        className="pr-9 pl-8 text-sm sm:h-7"
      />
      {box.text === '' ? (
        <kbd
          aria-hidden
          title={t('list.search.key')}
          className="pointer-events-none absolute inset-y-0 right-2 my-auto hidden h-4.5 min-w-4.5 rounded-sm border bg-sunken text-center font-mono text-xs leading-4 text-muted sm:block touch:hidden"
        >
          /
        </kbd>
      ) : (
        <button
          type="button"
          aria-label={t('list.search.clear')}
          onClick={() => {
            box.commit('')
            box.input.current?.focus()
          }}
          className="absolute inset-y-0 right-0 flex w-8 items-center justify-center rounded-sm text-muted hover:text-text touch:w-11"
        >
          <X aria-hidden className="size-4" />
        </button>
      )}
    </search>
  )
}
