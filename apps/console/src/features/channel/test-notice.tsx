import { X } from 'lucide-react'
import { useState } from 'react'
import { storage } from '../../lib/storage.ts'
import { useT } from '../../lib/t.ts'
import { Alert } from '../../ui/alert.tsx'
import { IconButton } from '../../ui/button.tsx'

const seen = 'prompt-channel-test'

/** A notice on the limits of tests; once dismissed it does not appear again. */
export function TestNotice() {
  const t = useT()
  const [isSeen, setSeen] = useState(() => storage.readText(seen) === 'true')
  const dismiss = () => {
    storage.writeText(seen, 'true')
    setSeen(true)
  }
  if (isSeen) return null
  return (
    <div className="mb-3">
      <Alert
        kind="info"
        action={
          <IconButton label={t('channel.notice.dismiss')} onClick={dismiss} className="-my-1 -mr-1.5">
            <X aria-hidden className="size-4" />
          </IconButton>
        }
      >
        <span className="max-sm:text-sm">{t('channel.notice')}</span>
      </Alert>
    </div>
  )
}
