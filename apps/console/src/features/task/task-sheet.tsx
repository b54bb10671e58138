import { isTaskEnd, type TaskRow, task, taskChannelName } from '@sluice/contract'
import { useQuery } from '@tanstack/react-query'
import { readOptions } from '../../lib/reads.ts'
import { useT } from '../../lib/t.ts'
import { Alert } from '../../ui/alert.tsx'
import { CopyCode } from '../../ui/copy-field.tsx'
import { Fact, Facts } from '../../ui/facts.tsx'
import { EntitySheet, type ListedSheetProps } from '../../ui/row-sheet.tsx'
import { QuotaText, TimeText } from '../../ui/table/column-builders.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { nameOf, TaskProgress, UnreadableTask } from './task-format.tsx'
import { TaskResults } from './task-results.tsx'
import { followMs } from './use-tasks.ts'

/** Everything about one task, with players of its results. */
export function TaskSheet({ actions, ...props }: ListedSheetProps<TaskRow>) {
  const t = useT()
  return (
    <EntitySheet
      {...props}
      // The id has a button of its own among the facts.
      actions={(row) => actions(row).filter(({ id }) => id !== 'copy')}
      title={t('task.sheet', { id: props.sheet.id })}
      nameOf={nameOf}
      badges={(row) => (
        <>
          <TaskProgress row={row} />
          <UnreadableTask row={row} />
        </>
      )}
    >
      {(row) => <Content key={row.id} listed={row} />}
    </EntitySheet>
  )
}

/** The row of the list may be cut; the whole one follows, also while the task runs. */
function Content({ listed }: { readonly listed: TaskRow }) {
  const { data } = useQuery({
    ...readOptions(task.get, { id: listed.id }),
    refetchInterval: ({ state }) => (isTaskEnd(state.data?.state ?? listed.state) ? false : followMs),
    meta: { failure: 'silent' },
  })
  // Of both, the one that has ended is newer.
  const row = data === undefined || (isTaskEnd(listed.state) && !isTaskEnd(data.state)) ? listed : data
  return (
    <div className="space-y-4">
      {row.error === null ? null : (
        <Alert kind="error" title={row.error.code}>
          <span className="whitespace-pre-wrap">{row.error.message}</span>
        </Alert>
      )}
      <TaskResults row={row} />
      <Order row={row} />
      <Course row={row} />
    </div>
  )
}

interface RowProps {
  readonly row: TaskRow
}

function Order({ row }: RowProps) {
  const t = useT()
  const parameters = Object.keys(row.parameters).length === 0 ? '' : JSON.stringify(row.parameters, null, 2)
  return (
    <>
      {row.prompt === '' ? null : (
        <section>
          <h3 className="mb-1 text-xs font-medium text-muted">{t('task.prompt')}</h3>
          <p className="max-h-60 overflow-y-auto rounded-sm bg-sunken px-3 py-2 break-words whitespace-pre-wrap thin-scroll">
            {row.prompt}
          </p>
        </section>
      )}
      <Facts title={t('task.order')}>
        <Fact label={t('task.kind')} value={t(`task.kind.${row.kind}`)} />
        <Fact label={t('task.model')} value={row.model} />
        <Fact label={t('task.seconds')} value={row.seconds === null ? null : t('task.seconds.count', { count: row.seconds })} />
        <Fact label={t('task.size')} value={row.size} />
        <Fact
          label={t('task.picture')}
          value={row.pictures.length === 0 ? null : row.pictures.map((address) => <Address key={address} address={address} />)}
        />
        <Fact
          label={t('task.parameters')}
          value={parameters === '' ? null : <code className="block text-left font-mono text-xs whitespace-pre-wrap">{parameters}</code>}
        />
      </Facts>
    </>
  )
}

/** An image elsewhere, which no page of the console loads by itself. */
function Address({ address }: { readonly address: string }) {
  return (
    <a href={address} target="_blank" rel="noreferrer noopener" className="block rounded-sm text-sm break-all text-accent hover:underline">
      {address}
    </a>
  )
}

function Course({ row }: RowProps) {
  const t = useT()
  const isOver = isTaskEnd(row.state)
  return (
    <Facts title={t('task.course')}>
      <Fact label={t('task.cost.estimated')} value={<QuotaText quota={row.estimated} />} />
      <Fact label={t('task.cost.charged')} value={isOver ? <QuotaText quota={row.charged} /> : null} />
      <Fact label={t('task.created')} value={<TimeText seconds={row.created_at} />} />
      <Fact label={t('task.ended')} value={row.ended_at === 0 ? null : <TimeText seconds={row.ended_at} />} />
      <Fact label={t('task.expires')} value={row.expires_at === 0 ? null : <TimeText seconds={row.expires_at} />} />
      <Fact label={t('task.id')} value={<CopyCode text={row.public_id} label={t('task.copy')} />} />
      {row.username === undefined ? null : (
        <>
          <Fact
            label={t('task.user')}
            value={
              <TextLink to="/user" search={{ row: row.user_id ?? 0 }}>
                {row.username || `#${row.user_id}`}
              </TextLink>
            }
          />
          <Fact
            label={t('task.channel')}
            value={
              row.channel === undefined || row.channel === 0 ? null : (
                <TextLink to="/channel" search={{ row: row.channel }}>
                  {taskChannelName(row)}
                </TextLink>
              )
            }
          />
          <Fact label={t('task.upstream')} value={row.upstream_model === row.model ? null : row.upstream_model} />
        </>
      )}
      <Fact label={t('task.log')} value={isOver ? <LogLink row={row} /> : null} />
    </Facts>
  )
}

/** What the log wrote when the task ended. */
function LogLink({ row }: RowProps) {
  const t = useT()
  return (
    <TextLink to="/log" search={{ request: row.request_id }}>
      {t('task.log.show')}
    </TextLink>
  )
}
