import { useState } from 'react'
import { useT } from '../../lib/t.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Textarea, useFileChooser } from '../../ui/input.tsx'
import { ProgressBar } from '../../ui/progress-bar.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { ImportPreview } from './import-preview.tsx'
import { type ChannelImport, fileBytesMax, useImport } from './use-import.ts'

interface ImportSheetProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

/** Adds the channels of a file: choice, preview, progress, and the result with its undoing. Closing it keeps what was done. */
export function ImportSheet({ isOpen, onClose }: ImportSheetProps) {
  const t = useT()
  const work = useImport()
  // Kept here, because the form makes room for the preview and comes back if the server refuses the file.
  const [text, setText] = useState('')
  const close = () => {
    if (work.state.kind === 'done') {
      work.restart()
      setText('')
    }
    onClose()
  }
  return (
    <Sheet title={t('transfer.import.title')} side="right" isOpen={isOpen} onClose={close}>
      <Step work={work} text={text} setText={setText} onClose={close} />
    </Sheet>
  )
}

interface Pasted {
  readonly text: string
  readonly setText: (text: string) => void
}

function Step({ work, onClose, ...pasted }: Pasted & { readonly work: ChannelImport; readonly onClose: () => void }) {
  const { state } = work
  switch (state.kind) {
    case 'choosing':
      return <Choice work={work} fault={state.fault} {...pasted} />
    case 'preview':
      return <ImportPreview key={state.from} preview={state} work={work} />
    case 'done':
      return <Result ids={state.ids} fault={state.fault} work={work} onClose={onClose} />
    default:
      return <Progress {...state} stop={work.stop} />
  }
}

interface ChoiceProps extends Pasted {
  readonly work: ChannelImport
  readonly fault: string | undefined
}

function Choice({ work, fault, text, setText }: ChoiceProps) {
  const t = useT()
  const readFile = async (file: File) => {
    if (file.size > fileBytesMax) work.refuse(work.tooLarge)
    else work.read(await file.text())
  }
  const chooser = useFileChooser({
    accept: '.json,application/json',
    label: t('transfer.import.file'),
    onFiles: ([file]) => (file === undefined ? undefined : void readFile(file)),
  })
  return (
    <form
      noValidate
      className="space-y-4"
      onSubmit={(event) => {
        event.preventDefault()
        work.read(text)
      }}
    >
      <p className="text-muted">{t('transfer.import.lead')}</p>
      <Button data-first onClick={chooser.open}>
        {t('transfer.import.file')}
      </Button>
      {chooser.input}
      <Field label={t('transfer.import.paste')} error={fault}>
        {(control) => (
          <Textarea
            {...control}
            value={text}
            onChange={({ target }) => setText(target.value)}
            spellCheck={false}
            className="min-h-40 font-mono text-sm"
          />
        )}
      </Field>
      <Button type="submit" look="primary">
        {t('transfer.import.preview')}
      </Button>
    </form>
  )
}

const workTexts = {
  reading: 'transfer.import.reading',
  importing: 'transfer.import.running',
  undoing: 'transfer.import.undoing',
} as const

interface ProgressProps {
  readonly kind: keyof typeof workTexts
  readonly done: number
  readonly total: number
  readonly stop: () => void
}

function Progress({ kind, done, total, stop }: ProgressProps) {
  const t = useT()
  const text = t(workTexts[kind], { done, total })
  return (
    <div className="space-y-3">
      <p role="status" className="tabular">
        {text}
      </p>
      <div className="flex items-center gap-3">
        <ProgressBar label={text} value={done} max={total} />
        {kind === 'importing' ? <Button onClick={stop}>{t('action.stop')}</Button> : null}
      </div>
    </div>
  )
}

interface ResultProps {
  readonly ids: readonly number[]
  readonly fault: string
  readonly work: ChannelImport
  readonly onClose: () => void
}

function Result({ ids, fault, work, onClose }: ResultProps) {
  const t = useT()
  return (
    <div className="space-y-4">
      {fault === '' ? null : <Alert kind="error">{t('transfer.import.rest', { reason: fault })}</Alert>}
      <p role="status" className="font-medium">
        {t('transfer.import.done', { count: ids.length })}
      </p>
      <div className="flex flex-wrap gap-2">
        <Button look="primary" onClick={onClose}>
          {t('action.close')}
        </Button>
        {ids.length === 0 ? null : <Button onClick={() => work.undo(ids)}>{t('transfer.import.undo')}</Button>}
        <Button onClick={work.restart}>{t('transfer.import.other')}</Button>
      </div>
    </div>
  )
}
