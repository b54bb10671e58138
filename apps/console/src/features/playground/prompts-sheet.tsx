import { Download, Save, Trash2, Upload } from 'lucide-react'
import { type FormEvent, useCallback, useEffect, useState } from 'react'
import { fileName, saveFile } from '../../lib/download.ts'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { DataText } from '../../ui/data-text.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Field } from '../../ui/field.tsx'
import { Input, useFileChooser } from '../../ui/input.tsx'
import type { Setup } from './read-setup.ts'
import { forgetPrompt, listPrompts, promptNameMax, promptsFile, readPromptsFile, type SavedPrompt, savePrompt } from './saved-prompts.ts'

interface PromptsProps {
  readonly account: number
  /** What would be saved now. */
  readonly present: Setup & { readonly text: string }
  readonly onUse: (prompt: SavedPrompt) => void
}

/** The prompts that this browser keeps: saved by name, used again, and carried to another browser as a file. */
export function Prompts({ account, present, onUse }: PromptsProps) {
  const t = useT()
  const { prompts, save, remove } = usePrompts(account)
  return (
    <>
      <p className="mb-3 text-sm text-muted">{t('playground.prompts.note')}</p>
      <SaveForm names={prompts.map(({ name }) => name)} onSave={(name) => save([{ ...present, name, updatedMs: Date.now() }])} />
      {prompts.length === 0 ? (
        <EmptyState title={t('playground.prompts.none')} text={t('playground.prompts.none.text', { example: '{{name}}' })} />
      ) : (
        <ul aria-label={t('playground.prompts')} className="divide-y rounded-sm border">
          {prompts.map((prompt) => (
            <Row key={prompt.id} prompt={prompt} onUse={() => onUse(prompt)} onRemove={() => void remove(prompt.id)} />
          ))}
        </ul>
      )}
      <Files prompts={prompts} onRead={save} />
    </>
  )
}

function usePrompts(account: number) {
  const t = useT()
  const [prompts, set] = useState<readonly SavedPrompt[]>([])
  const read = useCallback(async () => {
    // Without a database there are none.
    set(await listPrompts(account).catch(() => []))
  }, [account])
  useEffect(() => void read(), [read])
  const save = async (prompts: readonly Omit<SavedPrompt, 'id'>[]) => {
    try {
      for (const prompt of prompts) await savePrompt(account, prompt)
    } catch {
      showToast('error', t('playground.prompts.failed'))
    }
    await read()
  }
  const remove = async (id: string) => {
    await forgetPrompt(id).catch(() => undefined)
    await read()
  }
  return { prompts, save, remove }
}

interface SaveFormProps {
  readonly names: readonly string[]
  readonly onSave: (name: string) => Promise<void>
}

function SaveForm({ names, onSave }: SaveFormProps) {
  const t = useT()
  const [name, setName] = useState('')
  const trimmed = name.trim()
  const isKnown = names.includes(trimmed)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (trimmed === '') return
    void onSave(trimmed)
    setName('')
  }
  return (
    <form onSubmit={submit} noValidate className="mb-4 flex items-end gap-2">
      <div className="min-w-0 flex-1">
        <Field label={t('playground.prompts.name')}>
          {(control) => <Input {...control} maxLength={promptNameMax} value={name} onChange={({ target }) => setName(target.value)} />}
        </Field>
      </div>
      <Button type="submit" look="primary" disabled={trimmed === ''}>
        <Save aria-hidden className="size-4" />
        {t(isKnown ? 'playground.prompts.replace' : 'playground.prompts.save')}
      </Button>
    </form>
  )
}

interface RowProps {
  readonly prompt: SavedPrompt
  readonly onUse: () => void
  readonly onRemove: () => void
}

function Row({ prompt: { name, text, models, parameters }, onUse, onRemove }: RowProps) {
  const t = useT()
  const firstText = text.trim() || parameters.system.trim()
  return (
    <li className="flex items-center gap-1 pr-1">
      <button type="button" onClick={onUse} className="min-h-11 min-w-0 flex-1 px-3 py-2 text-left -outline-offset-2 hover:bg-hover">
        <DataText text={name} />
        <span className="block truncate text-sm text-muted">
          <bdi>
            {[models.filter((model) => model !== '').join(', '), firstText.split('\n')[0]].filter((part) => part !== '').join(' · ')}
          </bdi>
        </span>
      </button>
      <IconButton label={t('playground.prompts.remove', { name })} onClick={onRemove}>
        <Trash2 aria-hidden className="size-4" />
      </IconButton>
    </li>
  )
}

interface FilesProps {
  readonly prompts: readonly SavedPrompt[]
  readonly onRead: (prompts: readonly SavedPrompt[]) => Promise<void>
}

/** All prompts as a file, and back. */
function Files({ prompts, onRead }: FilesProps) {
  const t = useT()
  const open = async (file: File) => {
    const prompts = readPromptsFile(await file.text().catch(() => ''))
    if (prompts === null) return showToast('error', t('playground.prompts.unreadable', { name: file.name }))
    await onRead(prompts)
    showToast('success', t('playground.prompts.imported', { count: prompts.length }))
  }
  const chooser = useFileChooser({
    accept: 'application/json,.json',
    label: t('playground.prompts.import'),
    onFiles: ([file]) => (file === undefined ? undefined : void open(file)),
  })
  const save = () => saveFile(`${fileName(t('playground.prompts'))}.json`, new Blob([promptsFile(prompts)], { type: 'application/json' }))
  return (
    <div className="mt-3 flex flex-wrap gap-2">
      <Button size="sm" disabled={prompts.length === 0} onClick={save}>
        <Download aria-hidden className="size-4 text-muted" />
        {t('playground.prompts.export')}
      </Button>
      <Button size="sm" onClick={chooser.open}>
        <Upload aria-hidden className="size-4 text-muted" />
        {t('playground.prompts.import')}
      </Button>
      {chooser.input}
    </div>
  )
}
