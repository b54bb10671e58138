import { type ChannelRow, channel, withoutTrailingSlashes } from '@sluice/contract'
import { CloudDownload } from 'lucide-react'
import { useState } from 'react'
import { useFormContext } from 'react-hook-form'
import { call, toastError } from '../../lib/api.ts'
import { useT } from '../../lib/t.ts'
import { useOpenRow } from '../../lib/use-open-row.ts'
import { vendorByType } from '../../lib/vendors.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Checkbox } from '../../ui/toggle.tsx'
import { type ChannelValues, toInput } from './channel-values.ts'
import { useFormChannel } from './form-channel.ts'
import { modelDiff } from './model-diff.ts'

/** Longer than the server's timeout for a query to a vendor. */
const timeoutMs = 30_000

interface UpstreamModelsProps {
  readonly models: readonly string[]
  readonly onChange: (models: readonly string[]) => void
}

/** Asks the vendor for its models, and shows what would be added and removed before the form takes it. */
export function UpstreamModels({ models, onChange }: UpstreamModelsProps) {
  const t = useT()
  const { getValues } = useFormContext<ChannelValues>()
  const stored = useFormChannel()
  const [isAsking, setAsking] = useState(false)
  const fetched = useOpenRow<readonly string[]>()
  const ask = async () => {
    setAsking(true)
    try {
      fetched.open(await upstreamModels(getValues(), stored))
    } catch (error) {
      toastError(error)
    } finally {
      setAsking(false)
    }
  }
  return (
    <>
      <Button size="sm" isBusy={isAsking} onClick={() => void ask()}>
        {isAsking ? null : <CloudDownload aria-hidden className="size-4 text-muted" />}
        {t('channel.models.fetch')}
      </Button>
      <Dialog title={t('channel.models.fetched')} isOpen={fetched.isOpen} onClose={fetched.close}>
        {fetched.row === null ? null : (
          <DiffChoice
            {...modelDiff(models, fetched.row)}
            onApply={({ added, removed }) => {
              onChange([...models.filter((name) => !removed.has(name)), ...added])
              fetched.close()
            }}
          />
        )}
      </Dialog>
    </>
  )
}

/** A stored key is never shown: while the key, the type and the address are unchanged, the server asks with the stored one. */
async function upstreamModels(values: ChannelValues, stored: ChannelRow | null): Promise<readonly string[]> {
  const vendor = vendorByType(values.type)
  const { type, key, base_url, other, config } = toInput(values, { vendor, config: stored?.config ?? '' })
  if (stored !== null && key.trim() === '' && type === stored.type && withoutTrailingSlashes(base_url) === stored.base_url)
    return await call(channel.upstreamModels, { id: stored.id }, { timeoutMs })
  const first = vendor?.key.fields === undefined ? (key.trim().split('\n')[0] ?? '') : key
  return await call(channel.upstreamModelsOf, { type, key: first, base_url, other, config }, { timeoutMs })
}

interface DiffChoiceProps {
  readonly fresh: readonly string[]
  readonly missing: readonly string[]
  readonly kept: number
  readonly onApply: (choice: { readonly added: ReadonlySet<string>; readonly removed: ReadonlySet<string> }) => void
}

function DiffChoice({ fresh, missing, kept, onApply }: DiffChoiceProps) {
  const t = useT()
  const [added, setAdded] = useState<ReadonlySet<string>>(new Set(kept === 0 && missing.length === 0 ? fresh : []))
  const [removed, setRemoved] = useState<ReadonlySet<string>>(new Set())
  const count = added.size + removed.size
  return (
    <>
      <p className="mb-3 text-sm text-muted">
        {t(fresh.length + missing.length === 0 ? 'channel.models.fetched.same' : 'channel.models.fetched.text', { count: kept })}
      </p>
      <NameList title={t('channel.models.fetched.new', { count: fresh.length })} names={fresh} chosen={added} onChange={setAdded} />
      <NameList
        title={t('channel.models.fetched.gone', { count: missing.length })}
        names={missing}
        chosen={removed}
        onChange={setRemoved}
      />
      <div className="mt-4 flex justify-end">
        <Button look="primary" disabled={count === 0} onClick={() => onApply({ added, removed })}>
          {t('channel.models.fetched.apply', { added: added.size, removed: removed.size })}
        </Button>
      </div>
    </>
  )
}

interface NameListProps {
  readonly title: string
  readonly names: readonly string[]
  readonly chosen: ReadonlySet<string>
  readonly onChange: (chosen: ReadonlySet<string>) => void
}

/** Names to choose from, and a box for all of them. */
function NameList({ title, names, chosen, onChange }: NameListProps) {
  if (names.length === 0) return null
  const toggle = (name: string) =>
    onChange(chosen.has(name) ? new Set([...chosen].filter((other) => other !== name)) : new Set(chosen).add(name))
  return (
    <section className="mt-2 overflow-hidden rounded-sm border">
      <h3 className="flex items-center gap-2 border-b bg-sunken px-2.5 py-1.5 text-sm font-medium">
        <Checkbox
          label={title}
          isChecked={chosen.size === names.length}
          isPartly={chosen.size > 0 && chosen.size < names.length}
          onChange={() => onChange(chosen.size === names.length ? new Set() : new Set(names))}
        />
        <span aria-hidden>{title}</span>
      </h3>
      <ul className="max-h-44 overflow-y-auto py-1 thin-scroll">
        {names.map((name) => (
          <li key={name} className="flex items-center gap-2 px-2.5 py-0.5">
            <Checkbox label={name} isChecked={chosen.has(name)} onChange={() => toggle(name)} />
            <span aria-hidden className="min-w-0 font-mono text-xs break-all">
              {name}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
