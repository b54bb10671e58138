import { lazy, Suspense, useState } from 'react'
import { useT } from '../lib/t.ts'
import { splitNames } from '../lib/text.ts'
import { GroupTags } from '../ui/group-tags.tsx'

const GroupDialog = lazy(async () => ({ default: (await import('./group-dialog.tsx')).GroupDialog }))

interface GroupEditProps {
  /** The name of the row. */
  readonly name: string
  /** Comma list. */
  readonly group: string
  readonly hint: string
  readonly allowsCustom: boolean
  /** Reports a refusal itself. */
  readonly onSave: (group: string) => unknown
}

/** The groups of a row; a press on them opens the choice of others. */
export function GroupEdit({ name, group, hint, allowsCustom, onSave }: GroupEditProps) {
  const t = useT()
  // Counts the openings, so that the dialog begins each time with the groups of the row.
  const [dialogState, setDialogState] = useState({ count: 0, isOpen: false })
  const close = () => setDialogState((last) => ({ ...last, isOpen: false }))
  return (
    <>
      <button
        type="button"
        aria-label={t('list.groups.of', { name, groups: group })}
        title={group}
        onClick={() => setDialogState(({ count }) => ({ count: count + 1, isOpen: true }))}
        className="-mx-1 inline-flex min-h-6 items-center rounded-sm border border-transparent px-1 hover:border-control hover:bg-hover touch:min-h-11"
      >
        <GroupTags group={group} />
      </button>
      {dialogState.count === 0 ? null : (
        <Suspense fallback={null}>
          <GroupDialog
            key={dialogState.count}
            title={t('list.groups.title', { name })}
            hint={hint}
            groups={splitNames(group)}
            allowsCustom={allowsCustom}
            isOpen={dialogState.isOpen}
            onCancel={close}
            onChosen={(next) => {
              close()
              if (next !== group) onSave(next)
            }}
          />
        </Suspense>
      )}
    </>
  )
}
