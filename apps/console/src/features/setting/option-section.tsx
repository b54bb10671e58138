import { type OptionKey, type OptionSection, optionRow } from '@sluice/contract'
import { type ComponentType, type KeyboardEvent, type ReactNode, useCallback, useId, useRef } from 'react'
import { useT } from '../../lib/t.ts'
import type { OptionChange } from './changes-dialog.tsx'
import { OptionField } from './option-field.tsx'
import { isChanged } from './option-values.ts'
import { SectionBar } from './section-bar.tsx'
import { anchorOf } from './sections.ts'
import type { OptionForm } from './use-option-form.ts'
import type { OptionDetails, StoredOptions } from './use-options.ts'
import { useSaveOptions } from './use-save-options.ts'

/** What every part of a section gets. */
export interface SectionParts {
  readonly form: OptionForm
  readonly stored: StoredOptions
  /** Whether typed values of this section are not saved yet. */
  readonly hasChanges: boolean
}

/** What a section has besides the fields of its options. */
export interface SectionExtras {
  readonly above?: ComponentType<SectionParts>
  readonly below?: ComponentType<SectionParts>
}

interface OptionSectionProps {
  readonly section: OptionSection
  readonly keys: readonly OptionKey[]
  readonly form: OptionForm
  readonly stored: StoredOptions
  readonly details: OptionDetails
  readonly extras: SectionExtras
  /** The option or section that the address names. */
  readonly target: string
}

/** A form of its own: switches are saved at once, everything else with its button. */
export function SectionForm({ section, keys, form, stored, details, extras: { above: Above, below: Below }, target }: OptionSectionProps) {
  const t = useT()
  const id = useId()
  const element = useRef<HTMLFormElement>(null)
  const saving = useSaveOptions(form, stored)
  const changes = keys.flatMap((key) => changeOf(key, form, stored))
  const save = async () => {
    const [wrong] = await saving.save(keys)
    if (wrong !== undefined) focusField(element.current, wrong)
  }
  const { saveOne } = saving
  const latest = useRef(saveOne)
  latest.current = saveOne
  const toggle = useCallback((key: OptionKey, isOn: boolean) => void latest.current(key, String(isOn)), [])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    element.current?.requestSubmit()
  }
  const draw = (key: OptionKey) => (
    <OptionField
      key={key}
      optionKey={key}
      stored={stored.get(key) ?? ''}
      draft={form.drafts.get(key)}
      error={form.errors.get(key)}
      detail={details.get(key)}
      isTarget={target === key}
      saving={saving.pending.get(key)}
      onDraft={form.setDraft}
      onToggle={toggle}
    />
  )
  const rare = keys.filter((key) => optionRow(key).isRare === true)
  const isRareOpen = rare.some((key) => key === target || form.errors.has(key))
  const parts = { form, stored, hasChanges: changes.length > 0 }
  return (
    <section id={anchorOf(section)} aria-labelledby={id} className="mb-4 scroll-mt-16 rounded-md border bg-surface">
      <h2 id={id} className="border-b px-4 py-2.5 font-semibold">
        {t(`section.${section}`)}
      </h2>
      <form
        ref={element}
        noValidate
        onKeyDown={onKeyDown}
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <div className="space-y-5 p-4">
          {Above === undefined ? null : <Above {...parts} />}
          {keys.filter((key) => !rare.includes(key)).map(draw)}
          {rare.length === 0 ? null : (
            <RareOptions isOpen={isRareOpen} title={t('setting.prices.more')}>
              {rare.map(draw)}
            </RareOptions>
          )}
        </div>
        {keys.every((key) => optionRow(key).control === 'switch') ? null : (
          <SectionBar
            title={t(`section.${section}`)}
            changes={changes}
            isSaving={saving.savingKey !== null}
            onSave={() => void save()}
            onDiscard={() => form.discard(keys)}
          />
        )}
      </form>
      {Below === undefined ? null : (
        <div className="border-t p-4">
          <Below {...parts} />
        </div>
      )}
    </section>
  )
}

interface RareOptionsProps {
  readonly title: string
  readonly isOpen: boolean
  readonly children: ReactNode
}

function RareOptions({ title, isOpen, children }: RareOptionsProps) {
  return (
    <details open={isOpen || undefined} className="rounded-sm border">
      <summary className="cursor-pointer rounded-sm px-3 py-2 font-medium">{title}</summary>
      <div className="space-y-5 border-t p-3">{children}</div>
    </details>
  )
}

function changeOf(key: OptionKey, { drafts }: OptionForm, stored: StoredOptions): readonly OptionChange[] {
  const draft = drafts.get(key)
  const before = stored.get(key) ?? ''
  return draft !== undefined && isChanged(key, before, draft) ? [{ optionKey: key, stored: before, draft }] : []
}

/** After the field shows its error. */
function focusField(form: HTMLElement | null, key: OptionKey): void {
  requestAnimationFrame(() => form?.querySelector<HTMLElement>(`[data-option="${key}"] :is(input, textarea, button)`)?.focus())
}
