package catalog

import "strings"

// usersQuestions are in the words of people who have not seen the tools: with
// abbreviations, other verbs, and no name of a server. The last thirty were written
// when nothing was changed any more.
func usersQuestions() []question {
	var list []question
	for line := range strings.Lines(strings.TrimSpace(usersWords)) {
		query, right, _ := strings.Cut(strings.TrimSpace(line), " | ")
		q := question{query: query}
		for name := range strings.FieldsSeq(right) {
			q.right = append(q.right, "mcp__"+name)
		}
		list = append(list, q)
	}
	return list
}

const usersWords = `
gh open PR | github-mcp-server__create_pull_request github-archived__create_pull_request
merge a PR | github-mcp-server__merge_pull_request github-archived__merge_pull_request
which files did the PR touch | github-archived__get_pull_request_files github-mcp-server__pull_request_read
make a new repo on github | github-mcp-server__create_repository github-archived__create_repository
delete repo | github-toolsnaps-extra__delete_repository
find repos about machine learning | github-mcp-server__search_repositories github-archived__search_repositories
send a msg to a slack channel | slack-archived__slack_post_message
react with an emoji in slack | slack-archived__slack_add_reaction
post in a teams channel | ms365__send-channel-message
who is my boss | ms365__get-my-manager
am I free tomorrow at 3 | ms365__get-schedule ms365__find-meeting-times ms365__get-calendar-view lark__calendar_v4_freebusy_list
invite people to a meeting | ms365__create-calendar-event ms365__create-online-meeting lark__calendar_v4_calendarEvent_create
unread emails | ms365__list-mail-messages gmail-gongrzhe__search_emails ms365__list-mail-folder-messages
write an email with gmail | gmail-gongrzhe__send_email gmail-gongrzhe__draft_email
throw away an email | gmail-gongrzhe__delete_email ms365__delete-mail-message
autoreply out of office | ms365__update-mailbox-settings ms365__get-mailbox-settings
add a todo | ms365__create-todo-task
share a google doc with a colleague | google-drive-piotr__shareFile google-drive-piotr__addPermission
new spreadsheet in google drive | google-drive-piotr__createGoogleSheet
change cell values in a google sheet | google-drive-piotr__updateGoogleSheet
k8s pod logs | kubernetes-containers__pods_log
restart a crashed container in kubernetes | kubernetes-containers__pods_delete kubernetes-containers__resources_create_or_update coolify__control
scale deployment to 3 replicas | kubernetes-containers__resources_scale
install a helm chart | kubernetes-containers__helm_install
cpu usage of nodes | kubernetes-containers__nodes_top kubernetes-containers__nodes_stats_summary
run command in pod | kubernetes-containers__pods_exec
list docker containers | live-docker-mcp__list-containers
db schema of mongo collection | mongodb__collection-schema
remove documents from mongo | mongodb__delete-many
select * from users in postgres | postgres-archived__query
env vars of my coolify app | coolify__env_vars coolify__bulk_env_update
del a dns record | hostinger__DNS_deleteDNSRecordsV1
buy a domain | hostinger__domains_purchaseNewDomainV1 hostinger__domains_checkDomainAvailabilityV1
is this domain name taken | hostinger__domains_checkDomainAvailabilityV1 live-whois__whois_domain
reboot my vps | hostinger__VPS_restartVirtualMachineV1
cancel auto renew of a subscription | hostinger__billing_disableAutoRenewalV1
take a picture of the page | playwright__browser_take_screenshot browsermcp__browser_screenshot browserbase__browserbase_screenshot puppeteer-archived__puppeteer_screenshot executeautomation-playwright__playwright_screenshot browser-tools__takeScreenshot
fill in a form on a website | playwright__browser_fill_form executeautomation-playwright__playwright_fill puppeteer-archived__puppeteer_fill
press enter | playwright__browser_press_key browsermcp__browser_press_key executeautomation-playwright__playwright_press_key mobile-next__mobile_press_button
scrape website as markdown | brightdata__scrape_as_markdown firecrawl__firecrawl_scrape fetch-server__fetch_markdown live-npx-fetch__fetch_markdown
google something | brightdata__search_engine exa__web_search_exa firecrawl__firecrawl_search live-duckduckgo-search__duckduckgo_web_search
amazon reviews | brightdata__web_data_amazon_product_reviews
stock price history | live-investor__get_price_history live-kospi-kosdaq__get_stock_ohlcv
euro to dollar rate | live-exchange-rate-mcp__exchange_rate
sum of two numbers | everything__get-sum hello-world__add calc__math
generate a uuid | calc__random
sha256 checksum | calc__hash
decode a jwt | calc__jwt_decode
next run of a cron expression | calc__cron_parse
undo last commit | git-cyanheads__git_reset git-cyanheads__git_reflog
save uncommitted changes for later | git-cyanheads__git_stash
commit history | git-cyanheads__git_log github-mcp-server__list_commits github-archived__list_commits
find where function is used | cclsp__find_references
rename a variable everywhere | cclsp__rename_symbol cclsp__rename_symbol_strict
unused exports and dependencies | knip__knip-run
vulnerabilities in npm package | live-npm-sentinel-mcp__npmVulnerabilities
failing tests in ci | circleci__get_build_failure_logs circleci__get_job_test_results currents__currents-get-test-results
flaky tests | circleci__find_flaky_tests
gha workflow run logs | github-mcp-server__get_job_logs github-mcp-server__actions_get
assign ticket to someone linear | linear-tacticlaunch__linear_assignIssue linear-community__linear_bulk_update_issues linear-tacticlaunch__linear_updateIssue
create jira ticket | jira-aashari__jira_post
sprint of azure devops team | azure-devops__work azure-devops__work_iteration_write
mute alerts for a host in datadog | datadog-winor30__mute_host datadog-winor30__schedule_downtime
error logs in production datadog | datadog-winor30__get_logs
read several files at once | filesystem__read_multiple_files
make folder | filesystem__create_directory google-drive-piotr__createFolder ms365__create-onedrive-folder
replace text in a file | filesystem__edit_file live-text-editor__edit_text_file_contents morph__edit_file
insert picture in word | live-word-document-server__add_picture
export word doc as pdf | live-word-document-server__convert_to_pdf live-searxng__docx_to_pdf
bar chart on a slide | live-ppt__add_chart live-ppt__update_chart_data
train tickets from beijing to shanghai | live-12306-mcp__get-tickets
embed text and search vectors | pinecone__search-records cloudflare__ai_embeddings
block user okta | docker-okta__deactivate_user
cache purge for a website | hostinger__agency-hosting_clearWebsiteCacheV1 hostinger__hosting_clearWebsiteCacheV1 hostinger__hosting_purgeLiteSpeedCacheV1
put a value in cloudflare kv | cloudflare__kv_put
clinical trials for a disease | live-biomcp__trial_searcher
cite a paper in apa style | pubmed__pubmed_format_citations
color of a figma layer | figma-console__figma_set_fills
text on iphone keyboard | mobile-next__mobile_type_keys
crash reports of a phone app | mobile-next__mobile_list_crashes mobile-next__mobile_get_crash
soql | salesforce__run_soql_query
run model on replicate | replicate__create_predictions replicate__create_models_predictions
whats the weather in paris | live-weather__get_weather_by_city live-weather__get_weather
top hacker or tech news today | live-trends-hub__get-theverge-news live-trends-hub__get-9to5mac-news live-trends-hub__get-infoq-news
chess move | live-chess__make_move live-chess__get_valid_moves
close a github issue | github-mcp-server__issue_write github-archived__update_issue github-toolsnaps-extra__update_issue_state
list of my repos starred | github-mcp-server__list_starred_repositories
comment on a PR line | github-toolsnaps-extra__add_pull_request_review_comment github-mcp-server__add_comment_to_pending_review github-mcp-server__pull_request_review_write
approve PR | github-mcp-server__pull_request_review_write github-archived__create_pull_request_review github-toolsnaps-extra__create_pull_request_review
remove a label in gmail | gmail-gongrzhe__delete_label
change dns records | hostinger__DNS_updateDNSRecordsV1
drop mongo db | mongodb__drop-database
make an index in mongo | mongodb__create-index
erase files from google drive | google-drive-piotr__deleteItem
edit notion page | notion__API-patch-page notion__API-update-page-markdown
kill the app on my phone | mobile-next__mobile_terminate_app
launch simulator app ios | xcodebuild__launch_app_sim
delete several emails | gmail-gongrzhe__batch_delete_emails
add many issues to linear | linear-community__linear_create_issues
sql on d1 db | cloudflare__d1_query
new kv namespace cloudflare | cloudflare__kv_create cloudflare__get_kvs cloudflare__kv_put
make a linear project | linear-tacticlaunch__linear_createProject linear-community__linear_create_project_with_issues
cfg of circleci is valid? | circleci__config_helper
certificate for a custom domain okta | docker-okta__upsert_custom_domain_certificate
start a vm on my vps | hostinger__VPS_startVirtualMachineV1
stop docker container project on vps | hostinger__VPS_stopProjectV1
org chart direct reports | ms365__list-my-direct-reports ms365__list-user-direct-reports
teams chat msg | ms365__send-chat-message ms365__list-chat-messages ms365__get-chat-message
docs of primevue button | primevue__get_component primevue__search primevue__get_example
pictures of a product on a slide | live-ppt__manage_image
npm package changelog | live-npm-sentinel-mcp__npmChangelogAnalysis
argocd app sync | argocd__sync_application
recover earlier version of google file | google-drive-piotr__restoreRevision google-drive-piotr__getRevisions
auth0 apps | auth0__auth0_list_applications
modify asana ticket | asana__asana_update_task
`
