import { type Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import type { Reached } from '../lib/failpoints.ts'
import { currentSchema } from './current-schema.ts'
import { isPostgres } from './is-postgres.ts'
import { start } from './migrations/001-start.ts'
import { accounts } from './migrations/002-accounts.ts'
import { codes } from './migrations/003-codes.ts'
import { redemptions } from './migrations/004-redemptions.ts'
import { channelTests } from './migrations/005-channel-tests.ts'
import { usageHours } from './migrations/006-usage-hours.ts'
import { imported } from './migrations/007-imported.ts'
import { holdMarks } from './migrations/008-hold-marks.ts'
import { logDetail } from './migrations/009-log-detail.ts'
import { channelSettings } from './migrations/010-channel-settings.ts'
import { tokenLimits } from './migrations/011-token-limits.ts'
import { keptResponses } from './migrations/012-kept-answers.ts'
import { usageSuspect } from './migrations/013-usage-suspect.ts'
import { channelUsage } from './migrations/014-channel-usage.ts'
import { ledgerAccounts } from './migrations/015-ledger-accounts.ts'
import { keptItems } from './migrations/018-kept-items.ts'
import { optionSetters } from './migrations/019-option-setters.ts'
import { masterKey } from './migrations/020-master-key.ts'
import { quotaForms } from './migrations/021-quota-forms.ts'
import { channelTestRows } from './migrations/022-channel-test-rows.ts'
import { logIndexes } from './migrations/024-log-indexes.ts'
import { usageSums } from './migrations/025-usage-sums.ts'
import { rareRows } from './migrations/026-rare-rows.ts'
import { usageByAccount } from './migrations/028-usage-by-account.ts'
import { invitedUsers } from './migrations/029-invited-users.ts'
import { redemptionExpiry } from './migrations/030-redemption-expiry.ts'
import { filteredLists } from './migrations/031-filtered-lists.ts'
import { usageTimes } from './migrations/033-usage-times.ts'
import { tasks } from './migrations/034-tasks.ts'
import { logRequests } from './migrations/035-log-requests.ts'
import { usersByGroups } from './migrations/038-users-by-groups.ts'
import { taskFiles } from './migrations/041-task-files.ts'
import { taskOrderKeys } from './migrations/042-task-order-keys.ts'
import { nodes } from './migrations/046-nodes.ts'
import { leases } from './migrations/047-leases.ts'
import { numberedWriters } from './migrations/048-numbered-writers.ts'
import { placesAndOrders } from './migrations/049-places-and-orders.ts'
import { configChanges } from './migrations/051-config-changes.ts'
import { jobOwners } from './migrations/052-job-owners.ts'
import { sharedLimits } from './migrations/053-shared-limits.ts'
import { tokenMinutes } from './migrations/054-token-minutes.ts'
import { secondFactors } from './migrations/057-second-factors.ts'
import { passkeys } from './migrations/058-passkeys.ts'
import { accessTokens } from './migrations/059-access-tokens.ts'
import { oidcLogins } from './migrations/060-oidc-logins.ts'
import { longerSpans } from './migrations/063-longer-spans.ts'
import { taskCharacters } from './migrations/064-task-characters.ts'
import { served } from './migrations/065-served.ts'
import { costs } from './migrations/076-costs.ts'
import { changes } from './migrations/077-changes.ts'
import { hoursByModel } from './migrations/078-hours-by-model.ts'
import { notifications } from './migrations/080-notifications.ts'
import { watchedModels } from './migrations/082-watched-models.ts'
import { brokenRows } from './migrations/083-broken-rows.ts'
import { usageErrors } from './migrations/084-usage-errors.ts'
import { tasksByVendorId } from './migrations/085-tasks-by-vendor-id.ts'
import { usersOfModels } from './migrations/086-users-of-models.ts'
import { channelTags } from './migrations/087-channel-tags.ts'
import { logPartitions } from './migrations/088-log-partitions.ts'
import { hoursByChannel } from './migrations/089-hours-by-channel.ts'
import { ledgerSetAside } from './migrations/091-ledger-set-aside.ts'
import { systemTokenTimes } from './migrations/092-system-token-times.ts'
import { setupLinks } from './migrations/093-setup-links.ts'
import { pendingOptions } from './migrations/094-pending-options.ts'
import { keyDerivation } from './migrations/096-key-derivation.ts'
import { tokensOfStoredResponses } from './migrations/097-tokens-of-stored-responses.ts'
import { ownWorkAndStoredBytes } from './migrations/098-own-work-and-stored-bytes.ts'
import { changesBySchema } from './migrations/099-changes-by-schema.ts'
import { isPrepared } from './prepared-migration.ts'
import { pathSetting } from './session-settings.ts'

/** The list of what has run, as Kysely names it. */
const migrationTable = 'kysely_migration'
/** Tables of the migrator, which a start that failed may have left. */
const kyselyTables: readonly string[] = [migrationTable, 'kysely_migration_lock']

/** In order of their names. A migration is never edited after it has been released. */
export const migrations = {
  '001-start': start,
  '002-accounts': accounts,
  '003-codes': codes,
  '004-redemptions': redemptions,
  '005-channel-tests': channelTests,
  '006-usage-hours': usageHours,
  '007-imported': imported,
  '008-hold-marks': holdMarks,
  '009-log-detail': logDetail,
  '010-channel-settings': channelSettings,
  '011-token-limits': tokenLimits,
  '012-kept-answers': keptResponses,
  '013-usage-suspect': usageSuspect,
  '014-channel-usage': channelUsage,
  '015-ledger-accounts': ledgerAccounts,
  '018-kept-items': keptItems,
  '019-option-setters': optionSetters,
  '020-master-key': masterKey,
  '021-quota-forms': quotaForms,
  '022-channel-test-rows': channelTestRows,
  '024-log-indexes': logIndexes,
  '025-usage-sums': usageSums,
  '026-rare-rows': rareRows,
  '028-usage-by-account': usageByAccount,
  '029-invited-users': invitedUsers,
  '030-redemption-expiry': redemptionExpiry,
  '031-filtered-lists': filteredLists,
  '033-usage-times': usageTimes,
  '034-tasks': tasks,
  '035-log-requests': logRequests,
  '038-users-by-groups': usersByGroups,
  '041-task-files': taskFiles,
  '042-task-order-keys': taskOrderKeys,
  '046-nodes': nodes,
  '047-leases': leases,
  '048-numbered-writers': numberedWriters,
  '049-places-and-orders': placesAndOrders,
  '051-config-changes': configChanges,
  '052-job-owners': jobOwners,
  '053-shared-limits': sharedLimits,
  '054-token-minutes': tokenMinutes,
  '057-second-factors': secondFactors,
  '058-passkeys': passkeys,
  '059-access-tokens': accessTokens,
  '060-oidc-logins': oidcLogins,
  '063-longer-spans': longerSpans,
  '064-task-characters': taskCharacters,
  '065-served': served,
  '076-costs': costs,
  '077-changes': changes,
  '078-hours-by-model': hoursByModel,
  '080-notifications': notifications,
  '082-watched-models': watchedModels,
  '083-broken-rows': brokenRows,
  '084-usage-errors': usageErrors,
  '085-tasks-by-vendor-id': tasksByVendorId,
  '086-users-of-models': usersOfModels,
  '087-channel-tags': channelTags,
  '088-log-partitions': logPartitions,
  '089-hours-by-channel': hoursByChannel,
  '091-ledger-set-aside': ledgerSetAside,
  '092-system-token-times': systemTokenTimes,
  '093-setup-links': setupLinks,
  '094-pending-options': pendingOptions,
  '096-key-derivation': keyDerivation,
  '097-tokens-of-stored-responses': tokensOfStoredResponses,
  '098-own-work-and-stored-bytes': ownWorkAndStoredBytes,
  '099-changes-by-schema': changesBySchema,
}

interface MigrateOptions {
  readonly reached: Reached
  /** Called before the first pending migration runs, with the last one that the store has. Not called for a new store. */
  readonly before?: (last: string) => void
}

/** A name that says that the migration removes or changes what the version before it uses; every other one only adds. */
const removing = /^\d+-contract-/

/**
 * Runs all pending migrations in one transaction: all of them or none. What can be done before while others write is done before.
 * @throws Error if the schema holds tables of another program
 */
export async function migrate(db: Kysely<never>, { reached, before }: MigrateOptions): Promise<void> {
  const { executed, isLater } = await assertMigratable(db)
  if (isLater) return
  const steps = Object.entries<Migration>(migrations).map(([name, migration]) => [
    name,
    { ...migration, up: (to: Kysely<never>) => migration.up(to).then(() => reached('migrated')) },
  ])
  const last = executed.at(-1)
  const pending = Object.entries<Migration>(migrations).filter(([name]) => !executed.includes(name))
  if (last === undefined) return await db.transaction().execute((tx) => runAll(tx, Object.fromEntries(steps)))
  if (pending.length > 0) before?.(last)
  for (const [, migration] of pending) if (isPrepared(migration)) await migration.prepare(db)
  await runAll(db, Object.fromEntries(steps))
}

/** Whether this version can use the tables, or make its own. Nothing is changed. @throws Error that says why it cannot */
export async function assertMigratable(db: Kysely<never>): Promise<{ readonly executed: readonly string[]; readonly isLater: boolean }> {
  const executed = await readExecuted(db)
  const isKnown = executed.some((name) => Object.hasOwn(migrations, name))
  if (!isKnown) await assertUsable(db, executed)
  return { executed, isLater: isKnown && isOfLaterVersion(executed) }
}

async function runAll(db: Kysely<never>, steps: Readonly<Record<string, Migration>>): Promise<void> {
  const { error } = await (await createMigrator(db, steps)).migrateToLatest()
  if (error !== undefined) throw error
}

/** Versions that were built beside each other may have added to the tables in another order. */
async function createMigrator(db: Kysely<never>, steps: Readonly<Record<string, Migration>>): Promise<Migrator> {
  const schema = await currentSchema(db)
  return new Migrator({
    db,
    provider: { getMigrations: async () => ({ ...steps }) },
    allowUnorderedMigrations: true,
    ...(schema !== null && { migrationTableSchema: schema }),
  })
}

/** Takes back what was prepared for migrations that cannot run now, and would be in the way of servers of the version before. */
export async function abandonMigrations(db: Kysely<never>): Promise<void> {
  for (const migration of Object.values<Migration>(migrations).filter(isPrepared)) await migration.abandon(db)
}

/** Names of the migrations that a store has, in their order; none if it is new. */
async function readExecuted(db: Kysely<never>): Promise<readonly string[]> {
  if (!(await listTables(db)).includes(migrationTable)) return []
  const { rows } = await sql<{ name: string }>`SELECT name FROM ${sql.table(migrationTable)} ORDER BY name`.execute(db)
  return rows.map(({ name }) => name)
}

/** Whether a later version has added to the tables. @throws Error if this version does not work with what the later one has made of them */
function isOfLaterVersion(executed: readonly string[]): boolean {
  const later = executed.filter((name) => !Object.hasOwn(migrations, name))
  const breaking = later.filter((name) => removing.test(name))
  if (breaking.length === 0) return later.length > 0
  throw refused(
    `a later version of Sluice has changed its tables (${breaking.join(', ')}): start that version, or restore a copy from before`,
  )
}

/** Tables and views of the installation's schema, but for those of extensions. */
async function listTables(db: Kysely<never>): Promise<readonly string[]> {
  const { rows } = await (isPostgres(db)
    ? sql<{ name: string }>`SELECT relname AS name FROM pg_class
        WHERE relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = current_schema()) AND relkind IN ('r', 'p', 'v', 'm', 'f')
        AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_class'::regclass AND objid = pg_class.oid AND deptype = 'e') ORDER BY relname`
    : sql<{ name: string }>`SELECT name FROM sqlite_master WHERE type IN ('table', 'view') ORDER BY name`
  ).execute(db)
  return rows.map(({ name }) => name)
}

/** Most tables that a message names. */
const namedMax = 5

/**
 * A new installation gets a schema in which it may make tables, and without tables of others, whose names may be those of this version or of a
 * later one.
 */
async function assertUsable(db: Kysely<never>, executed: readonly string[]): Promise<void> {
  if (!isPostgres(db)) return
  const { rows } = await sql<{ schema: string; role: string; mayCreate: number }>`SELECT quote_ident(current_schema()) AS schema,
    quote_ident(current_user) AS role, has_schema_privilege(current_schema(), 'CREATE')::int AS "mayCreate"`.execute(db)
  const { schema = '', role = '', mayCreate = 0 } = rows[0] ?? {}
  const instead = `CREATE SCHEMA sluice AUTHORIZATION ${role}, and add ?schema=sluice to DATABASE_URL`
  if (mayCreate !== 1) throw refused(`the role ${role} may make no tables in the schema ${schema}: ${instead}`)
  const former = await otherInstallation(db)
  if (former !== null)
    throw refused(
      `the schema ${schema} comes first in the search path of the role ${role} and has no installation, but ${former} has one: add ?schema=${former} to DATABASE_URL for that one, or ?schema=${schema} for a new one`,
    )
  const left = executed.length === 0 ? kyselyTables : []
  const others = (await listTables(db)).filter((name) => !left.includes(name))
  if (others.length === 0) return
  const more = others.length > namedMax ? ` and ${others.length - namedMax} more` : ''
  throw refused(
    `the schema ${schema} must be empty for a new installation, and has the tables ${others.slice(0, namedMax).join(', ')}${more}: ${instead}, or use another database. Nothing was changed`,
  )
}

/** A schema that comes later in the search path and holds tables like ours; `null` = none. */
async function otherInstallation(db: Kysely<never>): Promise<string | null> {
  const { rows } = await sql<{ schema: string }>`SELECT nspname AS schema FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE nspname IN (SELECT json_array_elements_text(nullif(current_setting(${sql.lit(pathSetting)}, true), '')::json))
    AND nspname <> current_schema() AND relname IN (${sql.lit(migrationTable)}, 'ledger', 'tokens')
    GROUP BY nspname HAVING count(*) = 3 LIMIT 1`.execute(db)
  return rows[0]?.schema ?? null
}

function refused(message: string): Error {
  return Object.assign(new Error(message), { code: 'DATABASE' })
}

/** Whether a store has every migration of this version. */
export async function isUpToDate(db: Kysely<never>): Promise<boolean> {
  const executed = await readExecuted(db)
  return Object.keys(migrations).every((name) => executed.includes(name))
}
