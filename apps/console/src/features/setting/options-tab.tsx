import type { OptionSection, OptionTab } from '@sluice/contract'
import { useRouterState } from '@tanstack/react-router'
import { useEffect, useMemo } from 'react'
import { withBasePath } from '../../lib/base-path.ts'
import { useT } from '../../lib/t.ts'
import { ReadGate } from '../../ui/read-gate.tsx'
import { type SectionExtras, SectionForm } from './option-section.tsx'
import { anchorOf, sectionsOf } from './sections.ts'
import type { TabProps } from './use-option-form.ts'
import { toStored, useOptionDetails, useStoredOptions } from './use-options.ts'

interface OptionsTabProps extends TabProps {
  readonly tab: OptionTab
  readonly extras: Partial<Readonly<Record<OptionSection, SectionExtras>>>
}

const noExtras: SectionExtras = {}

/** All sections of one tab, from the contract's table of options. */
export function OptionsTab(props: OptionsTabProps) {
  const list = useStoredOptions()
  return (
    <ReadGate read={list} isFresh>
      {(rows) => <Sections {...props} rows={rows} />}
    </ReadGate>
  )
}

interface SectionsProps extends OptionsTabProps {
  readonly rows: readonly { readonly key: string; readonly value: string }[]
}

function Sections({ tab, extras, form, rows }: SectionsProps) {
  const stored = useMemo(() => toStored(rows), [rows])
  const { details } = useOptionDetails()
  const target = useRouterState({ select: ({ location }) => location.hash })
  useEffect(() => goTo(target), [target])
  return (
    <div className="grid gap-x-8 xl:grid-cols-[minmax(0,720px)_minmax(0,200px)]">
      <div className="min-w-0">
        {sectionsOf(tab).map(({ section, keys }) => (
          <SectionForm
            key={section}
            section={section}
            keys={keys}
            form={form}
            stored={stored}
            details={details}
            extras={extras[section] ?? noExtras}
            target={target}
          />
        ))}
      </div>
      <SectionLinks tab={tab} />
    </div>
  )
}

const focusable = 'input:not([type=hidden]), textarea, button'

/** Scrolls to the option or section that the address names, and focuses the option's field. */
function goTo(target: string): void {
  const element = target === '' ? null : document.getElementById(target)
  if (element === null) return
  const isOption = element.dataset['option'] !== undefined
  for (let outer = element.parentElement; outer !== null; outer = outer.parentElement)
    if (outer instanceof HTMLDetailsElement) outer.open = true
  element.scrollIntoView({ block: isOption ? 'center' : 'start' })
  // Later, because a browser that follows a link within the page takes the focus away.
  if (isOption) requestAnimationFrame(() => element.querySelector<HTMLElement>(focusable)?.focus({ preventScroll: true }))
}

/** On wide screens only: the sections beside the page. */
function SectionLinks({ tab }: { readonly tab: OptionTab }) {
  const t = useT()
  return (
    <nav aria-label={t('setting.sections')} className="sticky top-18 hidden self-start xl:block">
      <p className="mb-1 px-2 text-xs font-medium text-muted">{t('setting.sections')}</p>
      <ul>
        {sectionsOf(tab).map(({ section }) => (
          <li key={section}>
            <a
              href={withBasePath(`/setting?tab=${tab}#${anchorOf(section)}`)}
              onClick={(event) => {
                event.preventDefault()
                goTo(anchorOf(section))
              }}
              className="block rounded-sm px-2 py-1 text-sm text-muted hover:bg-hover hover:text-text"
            >
              {t(`section.${section}`)}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}
