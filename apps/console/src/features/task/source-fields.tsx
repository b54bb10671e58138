import type { CreatableTaskKind, TaskFields } from '@sluice/contract'
import { Upload, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useFormContext } from 'react-hook-form'
import { useT } from '../../lib/t.ts'
import { Button, IconButton } from '../../ui/button.tsx'
import { DataText } from '../../ui/data-text.tsx'
import { Field } from '../../ui/field.tsx'
import { FormSection } from '../../ui/form.tsx'
import { Input, Textarea, useFileChooser } from '../../ui/input.tsx'
import { imagesMax, type TaskFormValues } from './task-form-values.ts'

interface SourceProps {
  readonly kind: CreatableTaskKind
  readonly files: readonly File[]
  readonly setFiles: (files: readonly File[]) => void
  /** What the model takes; `null` = not known. */
  readonly fields: TaskFields | null
}

const imageTypes = 'image/png,image/jpeg,image/webp,image/gif'

/** What is made from: images, or the video that the model changes. */
export function SourceFields({ kind, files, setFiles, fields }: SourceProps) {
  const t = useT()
  const { formState } = useFormContext<TaskFormValues>()
  const most = imagesMax(kind, fields)
  if (fields?.needs_film === true)
    return (
      <FormSection>
        <Field label={t('task.add.film')} isRequired hint={t('task.add.film.hint')}>
          {() => <FileChooser accept="video/mp4" {...{ files, setFiles }} most={1} otherwise={null} />}
        </Field>
      </FormSection>
    )
  if (most === 0) return null
  return (
    <FormSection>
      <Field
        label={t(most === 1 ? 'task.add.picture' : 'task.add.pictures')}
        isRequired={(fields?.pictures.least ?? 0) > 0}
        hint={most === 1 ? t('task.add.picture.hint') : t('task.add.pictures.hint', { most })}
        error={formState.errors.input_reference?.message}
      >
        {(control) => <FileChooser accept={imageTypes} {...{ files, setFiles, most }} otherwise={<Addresses {...{ most, control }} />} />}
      </Field>
    </FormSection>
  )
}

function Addresses({ most, control }: { readonly most: number; readonly control: object }) {
  const { register } = useFormContext<TaskFormValues>()
  const inputProps = { ...control, ...register('input_reference'), placeholder: 'https://' }
  return most === 1 ? <Input {...inputProps} inputMode="url" /> : <Textarea {...inputProps} rows={2} />
}

interface ChooserProps extends Pick<SourceProps, 'files' | 'setFiles'> {
  readonly accept: string
  readonly most: number
  /** In place of files. */
  readonly otherwise: ReactNode
}

function FileChooser({ accept, files, setFiles, most, otherwise }: ChooserProps) {
  const t = useT()
  const chooser = useFileChooser({
    accept,
    label: t('task.add.file'),
    isMultiple: most > 1,
    onFiles: (chosen) => setFiles(most === 1 ? chosen.slice(0, 1) : [...files, ...chosen].slice(0, most)),
  })
  return (
    <div className="flex flex-wrap items-center gap-2">
      {files.length > 0 || otherwise === null ? null : <div className="min-w-48 flex-1">{otherwise}</div>}
      {files.map((file) => (
        <span
          key={`${file.name} ${file.lastModified} ${file.size}`}
          className="flex min-w-48 flex-1 items-center justify-between gap-2 rounded-sm border bg-sunken py-0.5 pr-0.5 pl-2.5"
        >
          <DataText text={file.name} className="min-w-0" />
          <IconButton label={t('task.add.file.remove', { name: file.name })} onClick={() => setFiles(files.filter((one) => one !== file))}>
            <X aria-hidden className="size-4" />
          </IconButton>
        </span>
      ))}
      <Button onClick={chooser.open}>
        <Upload aria-hidden className="size-4 text-muted" />
        {t('task.add.file')}
      </Button>
      {chooser.input}
    </div>
  )
}
