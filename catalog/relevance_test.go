package catalog

import (
	"slices"
	"strings"
	"testing"
)

// A question that somebody may have, and the full names of tools that answer it.
type question struct {
	query string
	right []string
}

// questions that somebody may have, and the tools that answer them: any of
// those listed is right. They were written from reading the tools, before the
// weights were chosen, which are rounded so as not to fit these alone.
var questions = []question{
	{"book a place to stay for the weekend on airbnb", []string{"mcp__airbnb__airbnb_search"}},
	{"add a column to an airtable table", []string{"mcp__airtable__create_field"}},
	{"airtable record comments", []string{"mcp__airtable__list_comments"}},
	{"logs of an argo workload", []string{"mcp__argocd__get_application_workload_logs"}},
	{"create argocd application", []string{"mcp__argocd__create_application"}},
	{"remove an asana task", []string{"mcp__asana__asana_delete_task"}},
	{"which tags does an asana task have", []string{"mcp__asana__asana_get_tags_for_task"}},
	{"auth0 new API resource server", []string{"mcp__auth0__auth0_create_resource_server"}},
	{"list auth0 forms", []string{"mcp__auth0__auth0_list_forms"}},
	{"teams of an azure devops project", []string{"mcp__azure-devops__core_list_project_teams"}},
	{"download build artifacts azure pipeline", []string{"mcp__azure-devops__pipelines_artifact"}},
	{"tiktok comments", []string{"mcp__brightdata__web_data_tiktok_comments"}},
	{"check a page for accessibility problems", []string{"mcp__browser-tools__runAccessibilityAudit"}},
	{"clear the browser logs", []string{"mcp__browser-tools__wipeLogs"}},
	{"choose an entry of a dropdown", []string{"mcp__browsermcp__browser_select_option", "mcp__playwright__browser_select_option",
		"mcp__executeautomation-playwright__playwright_select", "mcp__puppeteer-archived__puppeteer_select"}},
	{"convert hex color to rgb", []string{"mcp__calc__color"}},
	{"who calls this function", []string{"mcp__cclsp__get_incoming_calls"}},
	{"language server diagnostics of a file", []string{"mcp__cclsp__get_diagnostics"}},
	{"start a circleci pipeline", []string{"mcp__circleci__run_pipeline"}},
	{"deploy container image to cloud run", []string{"mcp__cloud-run__deploy_container_image"}},
	{"objects in an r2 bucket", []string{"mcp__cloudflare__r2_list_objects"}},
	{"delete cloudflare worker", []string{"mcp__cloudflare__worker_delete"}},
	{"domain ranking radar", []string{"mcp__cloudflare-radar-remote__get_domain_rank_details", "mcp__cloudflare-radar-remote__get_domains_ranking"}},
	{"run code snippet", []string{"mcp__code-runner__run-code"}},
	{"library documentation examples context7", []string{"mcp__context7__query-docs"}},
	{"datadog incident", []string{"mcp__datadog-winor30__get_incident", "mcp__datadog-winor30__list_incidents"}},
	{"copy an alfresco node elsewhere", []string{"mcp__docker-alfresco__copy_node"}},
	{"okta create group", []string{"mcp__docker-okta__create_group"}},
	{"lint my files", []string{"mcp__eslint__lint-files"}},
	{"format cells in excel", []string{"mcp__excel__excel_format_range"}},
	{"drag an element", []string{"mcp__executeautomation-playwright__playwright_drag", "mcp__playwright__browser_drag"}},
	{"fetch json from url", []string{"mcp__fetch-server__fetch_json", "mcp__live-npx-fetch__fetch_json"}},
	{"duplicate a figma node", []string{"mcp__figma-console__figma_clone_node"}},
	{"directory listing with file sizes", []string{"mcp__filesystem__list_directory_with_sizes"}},
	{"rename or move a file", []string{"mcp__filesystem__move_file"}},
	{"who changed this line last", []string{"mcp__git-cyanheads__git_blame"}},
	{"git merge branches", []string{"mcp__git-cyanheads__git_merge"}},
	{"files changed in a pull request", []string{"mcp__github-archived__get_pull_request_files", "mcp__github-mcp-server__pull_request_read"}},
	{"open a new issue on github", []string{"mcp__github-archived__create_issue", "mcp__github-mcp-server__issue_write", "mcp__github-mcp-server__create_issue"}},
	{"google cloud alerts", []string{"mcp__gcp-observability__list_alerts"}},
	{"distributed traces", []string{"mcp__gcp-observability__list_traces", "mcp__gcp-observability__get_trace"}},
	{"text of an image in base64", []string{"mcp__live-image-extractor__extract_image_from_base64"}},
	{"fear and greed index", []string{"mcp__live-investor__get_cnn_fear_greed_index"}},
	{"insider trading of a stock", []string{"mcp__live-investor__get_insider_trades"}},
	{"bitcoin price", []string{"mcp__live-mcp-crypto-price__get-crypto-price", "mcp__live-asset-price-mcp__get_asset_price"}},
	{"arxiv papers about a topic", []string{"mcp__live-mcp-simple-arxiv__search_papers"}},
	{"museum object search", []string{"mcp__live-met-museum__search-museum-objects"}},
	{"are npm packages deprecated", []string{"mcp__live-npm-sentinel-mcp__npmDeprecated"}},
	{"license compatible packages", []string{"mcp__live-npm-sentinel-mcp__npmLicenseCompatibility"}},
	{"draw a filled rectangle", []string{"mcp__live-painter__drawing_fillRectangle"}},
	{"add slide to presentation", []string{"mcp__live-ppt__add_slide"}},
	{"split pdf", []string{"mcp__live-searxng__pdf_splitter"}},
	{"what time is it in Tokyo", []string{"mcp__live-time__get_current_time"}},
	{"convert time zones", []string{"mcp__live-time__convert_time", "mcp__calc__datetime"}},
	{"weather forecast for a city", []string{"mcp__live-weather__get_weather_by_city", "mcp__live-weather__get_weather"}},
	{"whois of an ip address", []string{"mcp__live-whois__whois_ip"}},
	{"wikipedia article summary", []string{"mcp__live-wikipedia__get_summary", "mcp__live-wikipedia__summarize_article_section", "mcp__live-wikipedia__summarize_article_for_query"}},
	{"remove password from word document", []string{"mcp__live-word-document-server__unprotect_document"}},
	{"youtube video transcript", []string{"mcp__live-youtube-transcript__get_transcript", "mcp__fetch-server__fetch_youtube_transcript"}},
	{"whole knowledge graph", []string{"mcp__memory__read_graph"}},
	{"double tap phone screen", []string{"mcp__mobile-next__mobile_double_tap_on_screen"}},
	{"mongo create index", []string{"mcp__mongodb__create-index"}},
	{"aggregation pipeline in mongodb", []string{"mcp__mongodb__aggregate", "mcp__mongodb__aggregate-db"}},
	{"excel used range", []string{"mcp__ms365__get-excel-used-range"}},
	{"move a notion page", []string{"mcp__notion__API-move-page"}},
	{"read a pdf", []string{"mcp__pdf-reader__read_pdf"}},
	{"pinecone semantic search of records", []string{"mcp__pinecone__search-records"}},
	{"run sql query", []string{"mcp__postgres-archived__query"}},
	{"prisma migration status", []string{"mcp__prisma__migrate-status"}},
	{"biomedical literature pubmed articles", []string{"mcp__pubmed__pubmed_search_articles", "mcp__pubmed__pubmed_europepmc_search"}},
	{"replicate delete deployment", []string{"mcp__replicate__delete_deployments"}},
	{"merge conflict in devops center", []string{"mcp__salesforce__detect_devops_center_merge_conflict"}},
	{"send a slack message", []string{"mcp__slack-archived__slack_post_message"}},
	{"replies of a slack thread", []string{"mcp__slack-archived__slack_get_thread_replies"}},
	{"start ios simulator", []string{"mcp__xcodebuild__boot_sim", "mcp__xcodebuild__open_sim"}},
	{"菜谱 详情", []string{"mcp__live-howtocook-mcp__mcp_howtocook_getRecipeById"}},
	{"搜索游戏王卡牌", []string{"mcp__live-ygocdb__search_cards"}},
	{"getCanvasPng", []string{"mcp__live-painter__drawing_getCanvasPng"}},
	{"browser go back", []string{"mcp__browsermcp__browser_go_back", "mcp__playwright__browser_navigate_back", "mcp__executeautomation-playwright__playwright_go_back"}},
	{"gzip a file", []string{"mcp__everything__gzip-file-as-resource"}},
}

// SRCH-2, measured: the mean reciprocal rank of the first right tool among more
// than 3,000, against a search that counts which words of the query are part
// of name or description.
func TestRelevance(t *testing.T) {
	c := New(corpus(t), nil)
	for _, set := range []struct {
		name      string
		questions []question
		least     float64
	}{
		{"the tools' words", questions, 0.88},
		{"users' words", usersQuestions(), 0.69},
	} {
		t.Run(set.name, func(t *testing.T) {
			for _, q := range set.questions {
				if !slices.ContainsFunc(q.right, func(name string) bool { _, ok := c.Find(name); return ok }) {
					t.Errorf("%q: none of its answers is in the corpus", q.query)
				}
			}
			ranked := meanRank(t, "search", set.questions, true, func(query string) []string {
				matches, _ := c.Search(Query{Query: query, Limit: 20})
				names := make([]string, len(matches))
				for i, m := range matches {
					names[i] = m.Name
				}
				return names
			})
			plain := meanRank(t, "substrings", set.questions, false, func(query string) []string {
				words := strings.Fields(strings.ToLower(query))
				hits := map[string]int{}
				var names []string
				for _, tool := range c.Tools() {
					text := strings.ToLower(tool.Name + " " + tool.Description)
					for _, w := range words {
						if strings.Contains(text, w) {
							hits[tool.Name]++
						}
					}
					names = append(names, tool.Name)
				}
				slices.SortStableFunc(names, func(a, b string) int { return hits[b] - hits[a] })
				return names[:20]
			})
			if ranked < set.least {
				t.Errorf("mean reciprocal rank is %.3f, it was over %.2f", ranked, set.least)
			}
			if ranked < plain+0.15 {
				t.Errorf("search (%.3f) is hardly better than looking for substrings (%.3f)", ranked, plain)
			}
		})
	}
}

// meanRank is the mean reciprocal rank of the right answers in what search finds.
func meanRank(t *testing.T, name string, questions []question, show bool, search func(string) []string) float64 {
	sum, first := 0.0, 0
	for _, q := range questions {
		rank := 0
		found := search(q.query)
		for i, name := range found {
			if slices.Contains(q.right, name) {
				rank = i + 1
				break
			}
		}
		if rank > 0 {
			sum += 1 / float64(rank)
		}
		if rank == 1 {
			first++
		} else if show {
			t.Logf("%-45q rank %d, first is %q", q.query, rank, found[:min(1, len(found))])
		}
	}
	mean := sum / float64(len(questions))
	t.Logf("%s: mean reciprocal rank %.3f, right at once %d of %d", name, mean, first, len(questions))
	return mean
}
