import { Copy, Download } from 'lucide-react'
import { useEffect, useRef } from 'react'
import type { CreatedProps } from '../../crud/entity-pages.tsx'
import { fileName, saveText } from '../../lib/download.ts'
import { useT } from '../../lib/t.ts'
import { useCopy } from '../../lib/use-copy.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Textarea } from '../../ui/input.tsx'
import type { RedemptionInput } from './redemption-values.ts'

/** Saves new codes as a text file, one on each line, and shows them, so that a blocked download loses nothing. */
export function CodesDialog({ created, input, isOpen, onClose }: CreatedProps<readonly string[], RedemptionInput>) {
  const t = useT()
  const field = useRef<HTMLTextAreaElement>(null)
  const copy = useCopy(() => field.current?.select())
  const text = `${created.join('\n')}\n`
  const file = `${fileName(input.name)}.txt`
  useEffect(() => saveText(file, text), [file, text])
  return (
    <Dialog title={t('redemption.codes.title', { count: created.length })} isOpen={isOpen} onClose={onClose}>
      <p className="mb-3 text-muted">{t('redemption.codes.text', { file })}</p>
      <Textarea
        ref={field}
        readOnly
        aria-label={t('redemption.codes')}
        value={text}
        rows={Math.min(10, created.length)}
        className="font-mono text-sm"
      />
      <div className="mt-4 flex flex-wrap gap-2">
        <Button look="primary" data-first onClick={() => void copy(text)}>
          <Copy aria-hidden className="size-4" />
          {t('redemption.codes.copy')}
        </Button>
        <Button onClick={() => saveText(file, text)}>
          <Download aria-hidden className="size-4" />
          {t('redemption.codes.save')}
        </Button>
        <Button onClick={onClose}>{t('action.close')}</Button>
      </div>
    </Dialog>
  )
}
