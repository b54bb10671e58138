import { useState } from 'react'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyField } from '../../ui/copy-field.tsx'
import { Dialog } from '../../ui/dialog.tsx'

interface SecretDialogProps {
  /** `null` = none was made. */
  readonly secret: string | null
  readonly texts: {
    readonly title: string
    /** That it is shown only here. */
    readonly once: string
    readonly copy: string
    readonly kept: string
  }
  readonly onClose: () => void
}

/** Shows a new secret, which cannot be read later. */
export function SecretDialog({ secret, texts, onClose }: SecretDialogProps) {
  // What is shown is kept while the dialog closes.
  const [last, setLast] = useState(secret)
  if (secret !== null && secret !== last) setLast(secret)
  return (
    <Dialog title={texts.title} isOpen={secret !== null} onClose={onClose}>
      <div className="space-y-4">
        <Alert kind="info">{texts.once}</Alert>
        <CopyField text={last ?? ''} label={texts.copy} isFirst />
        <Button onClick={onClose}>{texts.kept}</Button>
      </div>
    </Dialog>
  )
}
