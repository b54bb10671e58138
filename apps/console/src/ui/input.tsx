import { Eye, EyeOff } from 'lucide-react'
import { type ComponentProps, type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { useT } from '../lib/t.ts'
import { cx } from '../lib/text.ts'

/** The look of a control without its width. */
export const controlLook =
  'rounded-sm border border-control bg-surface text-text transition-colors hover:border-text focus-visible:border-accent focus-visible:outline-2 focus-visible:outline-offset-0 disabled:cursor-not-allowed disabled:bg-sunken disabled:text-muted disabled:hover:border-control [&[readonly]]:bg-sunken aria-invalid:border-red'

export const controlClass = `w-full ${controlLook}`

const boxClass = 'h-8 px-2.5 touch:h-11 max-sm:text-lg'

export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input type="text" autoComplete="off" spellCheck={false} {...rest} className={cx(controlClass, boxClass, className)} />
}

/** Whole numbers: digits only, tabular figures, and the mouse wheel does not change the value. */
export function NumberInput({ className, ...rest }: ComponentProps<'input'>) {
  return <Input inputMode="numeric" {...rest} className={cx('tabular', className)} />
}

export function Textarea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea spellCheck={false} {...rest} className={cx(controlClass, 'block min-h-20 px-2.5 py-1.5 max-sm:text-lg', className)} />
}

export function PasswordInput(props: ComponentProps<'input'>) {
  const t = useT()
  const [isShown, setVisible] = useState(false)
  const [hasCapsLock, setCapsLock] = useState(false)
  const look = (event: KeyboardEvent) => setCapsLock(event.getModifierState('CapsLock'))
  return (
    <div className="relative">
      <Input {...props} type={isShown ? 'text' : 'password'} onKeyDown={look} onKeyUp={look} className="pr-10 touch:pr-12" />
      <button
        type="button"
        aria-label={t(isShown ? 'field.hidePassword' : 'field.showPassword')}
        aria-pressed={isShown}
        onClick={() => setVisible(!isShown)}
        className="absolute inset-y-0 right-0 flex w-9 items-center justify-center rounded-sm text-muted hover:text-text touch:w-11"
      >
        {isShown ? <EyeOff aria-hidden className="size-4" /> : <Eye aria-hidden className="size-4" />}
      </button>
      {hasCapsLock && !isShown ? (
        <p role="status" className="mt-1 text-sm text-yellow">
          {t('field.capsLock')}
        </p>
      ) : null}
    </div>
  )
}

interface FileChooserProps {
  /** As in an `accept` attribute. */
  readonly accept: string
  readonly label: string
  /** Whether several files may be chosen at once. */
  readonly isMultiple?: boolean
  /** At least one file. */
  readonly onFiles: (files: readonly File[]) => void
}

interface FileChooser {
  /** Opens the browser's dialog. */
  readonly open: () => void
  /** To be rendered beside the button that opens it. */
  readonly input: ReactNode
}

/** The browser's dialog for choosing files, opened by a button of one's own. */
export function useFileChooser({ accept, label, isMultiple = false, onFiles }: FileChooserProps): FileChooser {
  const element = useRef<HTMLInputElement>(null)
  return {
    open: () => element.current?.click(),
    input: (
      <input
        ref={element}
        type="file"
        accept={accept}
        multiple={isMultiple}
        aria-label={label}
        tabIndex={-1}
        onChange={({ target }) => {
          const files = [...(target.files ?? [])]
          // So that the same file can be chosen again after it was mended.
          target.value = ''
          if (files.length > 0) onFiles(files)
        }}
        className="hidden"
      />
    ),
  }
}
