import type { notificationEn } from './notification-en.ts'

/** The same in Chinese. */
export const notificationZh: Readonly<Record<keyof typeof notificationEn, string>> = {
  notification_rules_too_many: '每个账户最多只能有 {max} 条通知规则',
  no_such_notification_rule: '通知规则不存在',
  notification_limit_invalid: '一条规则只能限定一个模型或一个渠道',
  notification_url_private: '只有管理员可以发送到本地网络的地址',
  webhook_refused: 'Webhook 返回了状态码 {status}',
  notification_not_told: '未知错误，详见服务器日志',
  notice_balance: '{system}：余额低于 {threshold}',
  notice_balance_text: '低于 {threshold}：{accounts}。',
  notice_spend: '{system}：当日消费已达到 {threshold}',
  notice_spend_text: '{who}自零点（UTC）起已消费 {spent}，规则“{rule}”的阈值为 {threshold}。',
  notice_all_accounts: '所有账户合计',
  notice_errors: '{system}：{share}% 的请求失败',
  notice_errors_text: '最近 {hours} 小时的 {requests} 个请求中，有 {failed} 个因本服务或供应商而失败（{share}%）。',
  notice_errors_of: '{system}：{of}的请求有 {share}% 失败',
  notice_errors_of_text: '最近 {hours} 小时，{of}的 {requests} 个请求中，有 {failed} 个因本服务或供应商而失败（{share}%）。',
  notice_model: '模型 {name} ',
  notice_backup: '{system}：数据库备份失败',
  notice_backup_text: '数据库的定时备份失败：{reason}',
  notice_channel: '渠道 {name}（#{id}）',
  notice_test: '{system}：测试“{rule}”',
  notice_test_text: '这是通知规则“{rule}”的测试。',
  log_notification_made: '{actor} 创建了通知规则“{name}”（{target}）',
  log_notification_changed: '{actor} 修改了通知规则“{name}”',
  log_notification_removed: '{actor} 删除了通知规则“{name}”',
}
