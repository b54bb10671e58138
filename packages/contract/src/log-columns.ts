import type { Language } from './messages/fill.ts'

interface LogColumn {
  readonly en: string
  readonly zh: string
  /** Other accounts do not see it. */
  readonly isForAdmins?: boolean
}

/** The columns of an exported log, in their usual order, with their names. The console has the same names; a test compares them. */
export const logColumns = {
  time: { en: 'Time', zh: '时间' },
  channel: { en: 'Channel', zh: '渠道', isForAdmins: true },
  user: { en: 'User', zh: '用户', isForAdmins: true },
  token: { en: 'Token', zh: '令牌' },
  type: { en: 'Type', zh: '类型' },
  model: { en: 'Model', zh: '模型' },
  prompt: { en: 'Prompt', zh: '输入' },
  completion: { en: 'Completion', zh: '输出' },
  quota: { en: 'Quota', zh: '费用' },
  cost: { en: 'Vendor cost', zh: '供应商成本', isForAdmins: true },
  detail: { en: 'Detail', zh: '详情' },
  cached: { en: 'Cached', zh: '缓存' },
  elapsed: { en: 'Duration', zh: '耗时' },
  first_byte: { en: 'First byte', zh: '首字节' },
  end: { en: 'Outcome', zh: '结果' },
  request: { en: 'Request ID', zh: '请求 ID' },
} as const satisfies Record<string, LogColumn>

export type LogColumnId = keyof typeof logColumns

/** What stands in the columns of type and outcome, by number or code. */
export const logWords: Readonly<Record<string, Readonly<Record<Language, string>>>> = {
  'type.1': { en: 'Top-up', zh: '充值' },
  'type.2': { en: 'Consume', zh: '消费' },
  'type.3': { en: 'Admin', zh: '管理' },
  'type.4': { en: 'System', zh: '系统' },
  'event.channel_test': { en: 'Test', zh: '测试' },
  'end.complete': { en: 'Complete', zh: '完成' },
  'end.client_gone': { en: 'Client disconnected', zh: '客户端断开' },
  'end.upstream_cut': { en: 'Vendor disconnected', zh: '供应商中断' },
  'end.out_of_quota': { en: 'Out of quota', zh: '额度不足' },
  'end.timed_out': { en: 'Timed out', zh: '超时' },
  'end.too_long': { en: 'Response too long', zh: '输出超长被终止' },
  'end.shut_down': { en: 'Server restarted', zh: '服务重启' },
  'end.failed': { en: 'Failed', zh: '失败' },
  'end.crashed': { en: 'Server crashed', zh: '服务异常退出' },
}
