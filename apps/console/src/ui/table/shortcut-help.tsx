import { Keyboard } from 'lucide-react'
import { useState } from 'react'
import { setShortcuts, useKey, useShortcuts } from '../../lib/shortcuts.ts'
import { type MessageKey, useT } from '../../lib/t.ts'
import { IconButton } from '../button.tsx'
import { Dialog } from '../dialog.tsx'
import { Switch } from '../toggle.tsx'

const shortcuts: readonly { readonly keys: readonly string[]; readonly text: MessageKey }[] = [
  { keys: ['/'], text: 'keys.search' },
  { keys: ['f'], text: 'keys.filters' },
  { keys: ['n'], text: 'keys.new' },
  { keys: ['r'], text: 'keys.refresh' },
  { keys: ['j', 'k'], text: 'keys.row' },
  { keys: ['x'], text: 'keys.select' },
  { keys: ['Enter'], text: 'keys.open' },
  { keys: ['e'], text: 'keys.edit' },
  { keys: ['c'], text: 'keys.copy' },
  { keys: ['t'], text: 'keys.test' },
  { keys: ['Del'], text: 'keys.delete' },
  { keys: ['Ctrl S'], text: 'keys.save' },
  { keys: ['?'], text: 'keys.help' },
]

/** The shortcuts of lists, and a switch that turns single keys off: they disturb speech input and some keyboards. */
export function ShortcutHelp() {
  const t = useT()
  const isOn = useShortcuts()
  const [isOpen, setOpen] = useState(false)
  useKey('?', () => setOpen(true))
  return (
    <>
      <IconButton label={t('keys.title')} onClick={() => setOpen(true)} className="max-sm:hidden touch:hidden">
        <Keyboard aria-hidden className="size-4" />
      </IconButton>
      <Dialog title={t('keys.title')} isOpen={isOpen} onClose={() => setOpen(false)}>
        <Switch label={t('keys.enabled')} hint={t('keys.enabled.hint')} isOn={isOn} onChange={setShortcuts} />
        <dl className="mt-3 divide-y border-t">
          {shortcuts.map(({ keys, text }) => (
            <div key={text} className="flex items-center justify-between gap-4 py-1.5">
              <dt>{t(text)}</dt>
              <dd className="flex gap-1">
                {keys.map((key) => (
                  <kbd key={key} className="min-w-6 rounded-sm border bg-sunken px-1.5 text-center font-mono text-xs leading-5">
                    {key}
                  </kbd>
                ))}
              </dd>
            </div>
          ))}
        </dl>
      </Dialog>
    </>
  )
}
