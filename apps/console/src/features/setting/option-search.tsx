import { type OptionKey, optionKeys, optionRow } from '@sluice/contract'
import { Link, useNavigate } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { useMemo, useState } from 'react'
import { useT } from '../../lib/t.ts'
import { Input } from '../../ui/input.tsx'
import { popupClass } from '../../ui/popup.tsx'
import { tabOf } from './sections.ts'

/** Most results that are shown. */
const resultsMax = 8

/** Finds an option of any tab by its name, its help, its section or its key, and goes to it. */
export function OptionSearch() {
  const t = useT()
  const navigate = useNavigate()
  const [query, setQuery] = useState('')
  const texts = useMemo(
    () =>
      optionKeys.map((key) => {
        const label = t(`option.${key}`)
        const section = t(`section.${optionRow(key).section}`)
        return { key, label, section, text: `${label} ${key} ${section} ${t(`option.${key}.help`)}`.toLowerCase() }
      }),
    [t],
  )
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const matching = words.length === 0 ? [] : texts.filter(({ text }) => words.every((word) => text.includes(word)))
  const close = () => setQuery('')
  const go = (key: OptionKey) => {
    close()
    void navigate({ to: '/setting', search: { tab: tabOf(key) }, hash: key })
  }
  return (
    <search
      className="relative w-full sm:w-72"
      onBlur={({ currentTarget, relatedTarget }) => (currentTarget.contains(relatedTarget) ? undefined : close())}
      onKeyDown={({ key }) => (key === 'Escape' ? close() : undefined)}
    >
      <Search aria-hidden className="pointer-events-none absolute top-0 bottom-0 left-2.5 my-auto size-4 text-muted" />
      <Input
        role="searchbox"
        aria-label={t('setting.search')}
        placeholder={t('setting.search')}
        value={query}
        onChange={({ target }) => setQuery(target.value)}
        onKeyDown={({ key, nativeEvent }) => {
          const first = matching[0]
          if (key === 'Enter' && !nativeEvent.isComposing && first !== undefined) go(first.key)
        }}
        className="pl-8"
      />
      {words.length === 0 ? null : (
        <div className={`${popupClass} absolute inset-x-0 top-full z-20 mt-1 p-1`}>
          {matching.length === 0 ? <p className="px-2 py-1.5 text-sm text-muted">{t('list.none')}</p> : null}
          <ul>
            {matching.slice(0, resultsMax).map(({ key, label, section }) => (
              <li key={key}>
                <Link
                  to="/setting"
                  search={{ tab: tabOf(key) }}
                  hash={key}
                  onClick={close}
                  className="block rounded-sm px-2 py-1.5 hover:bg-hover touch:py-2.5"
                >
                  <span className="block truncate">{label}</span>
                  <span className="block truncate text-xs text-muted">
                    {t(`setting.tab.${tabOf(key)}`)} · {section}
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        </div>
      )}
    </search>
  )
}
