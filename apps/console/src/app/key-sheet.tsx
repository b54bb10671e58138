import { modifierName, setShortcuts, type UsedKey, useShortcuts } from '../lib/shortcuts.ts'
import { type MessageKey, useT } from '../lib/t.ts'
import { Dialog } from '../ui/dialog.tsx'
import { KeyCaps } from '../ui/key-caps.tsx'
import { Switch } from '../ui/toggle.tsx'
import { goKeys } from './go-keys.ts'
import { useNavItems } from './use-nav-items.ts'

interface KeySheetProps {
  readonly isOpen: boolean
  /** The keys that do something on the page as it is now. */
  readonly used: readonly UsedKey[]
  readonly onClose: () => void
}

/** The shortcuts of the page, and a switch that turns single keys off: they disturb speech input and some keyboards. */
export function KeySheet({ isOpen, used, onClose }: KeySheetProps) {
  const t = useT()
  const isOn = useShortcuts()
  const groups = useKeyGroups(used).filter(({ keys }) => keys.length > 0)
  return (
    <Dialog title={t('keys.title')} isWide isOpen={isOpen} onClose={onClose}>
      <Switch label={t('keys.enabled')} hint={t('keys.enabled.hint', { modifier: modifierName() })} isOn={isOn} onChange={setShortcuts} />
      <div className="mt-3 border-t">
        {groups.map(({ title, keys }) => (
          <section key={title} aria-label={title}>
            <h3 className="pt-3 pb-1 text-xs font-medium text-muted">{title}</h3>
            <dl className="gap-x-8 sm:grid sm:grid-cols-2">
              {keys.map(({ caps, text }) => (
                <div key={text} className="flex min-h-7 items-center justify-between gap-4 py-0.5">
                  <dt>{text}</dt>
                  <dd>
                    <KeyCaps keys={caps} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  )
}

/** Keys that mean the same on every page that has them, in the order of the list. */
const keysOfPages: readonly { readonly key: string; readonly caps: readonly string[]; readonly text: MessageKey }[] = [
  { key: '/', caps: ['/'], text: 'keys.search' },
  { key: 'f', caps: ['f'], text: 'keys.filters' },
  { key: 'n', caps: ['n'], text: 'keys.new' },
  { key: 'r', caps: ['r'], text: 'keys.refresh' },
  { key: 'j', caps: ['j', 'k'], text: 'keys.row' },
]

interface KeyGroup {
  readonly title: string
  readonly keys: readonly { readonly caps: readonly string[]; readonly text: string }[]
}

function useKeyGroups(used: readonly UsedKey[]): readonly KeyGroup[] {
  const t = useT()
  const items = useNavItems()
  const modifier = modifierName()
  const isUsed = (key: string) => used.some((one) => one.key === key)
  const ofPage = keysOfPages.filter(({ key }) => isUsed(key)).map(({ caps, text }) => ({ caps, text: t(text) }))
  const ofRow = used.flatMap(({ key, label }) => (label === undefined ? [] : [{ caps: [key === 'Delete' ? 'Del' : key], text: label }]))
  const pages = items.flatMap(({ to, label }) =>
    goKeys[to] === undefined || !isUsed(`g ${goKeys[to]}`) ? [] : [{ caps: ['g', goKeys[to]], text: t('keys.go', { page: t(label) }) }],
  )
  return [
    { title: t('keys.group.page'), keys: isUsed('Control+s') ? [...ofPage, { caps: [modifier, 'S'], text: t('keys.save') }] : ofPage },
    { title: t('keys.group.row'), keys: isUsed('x') ? [{ caps: ['x'], text: t('keys.select') }, ...ofRow] : ofRow },
    {
      title: t('keys.group.everywhere'),
      keys: [
        ...(isUsed('Control+k') ? [{ caps: [modifier, 'K'], text: t('keys.palette') }] : []),
        ...pages,
        { caps: ['Esc'], text: t('keys.close') },
        { caps: ['?'], text: t('keys.help') },
      ],
    },
  ]
}
