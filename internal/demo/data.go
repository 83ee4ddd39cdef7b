package demo

type issue struct {
	Number   int      `json:"number"`
	Title    string   `json:"title"`
	State    string   `json:"state"`
	Labels   []string `json:"labels"`
	Assignee *string  `json:"assignee"`
	Comments int      `json:"comments"`
}

type fullIssue struct {
	issue
	Body string `json:"body"`
}

type note struct {
	ID    string `json:"id"`
	Title string `json:"title"`
	Text  string `json:"text"`
	Date  string `json:"date"`
}

func person(name string) *string { return &name }

// issues of the demo project, newest first.
var issues = []fullIssue{
	{issue{12, "Kettle whistles one octave too high", "open", []string{"bug", "audio"}, person("ada"), 7}, "Since the **new spout** was fitted, the whistle is an octave too high.\nThe neighbour's dog has complained."},
	{issue{11, "Toaster should remember its last setting", "open", []string{"feature"}, nil, 2}, "After a power cut it starts at *charcoal*."},
	{issue{9, "Fridge light stays on", "open", []string{"bug"}, person("grace"), 14}, "Nobody can prove it, but everybody believes it."},
	{issue{8, "Describe how to water the cactus", "open", []string{"documentation", "good first issue"}, nil, 0}, "Once a month is enough. Write it down before somebody waters it daily."},
	{issue{7, "Clock runs backwards on the southern wall", "closed", []string{"bug"}, person("ada"), 3}, "It was hung upside down."},
	{issue{5, "Add a second spoon", "closed", []string{"feature"}, person("edsger"), 21}, "One spoon is a single point of failure."},
	{issue{3, "Door says push but means pull", "closed", []string{"bug", "documentation"}, person("grace"), 40}, "The sign was for the other side."},
}

// notes of the notebook.
var notes = []note{
	{"n1", "Tea", "Green tea: 80 °C, two minutes. Black tea: boiling, four minutes.", "2026-02-03"},
	{"n2", "Garden plan", "Tomatoes by the south wall, mint in a pot or it will be everywhere.", "2026-03-21"},
	{"n3", "Bread", "500 g flour, 350 g water, 10 g salt, 3 g yeast. Wait until tomorrow.", "2026-04-11"},
	{"n4", "Books to read", "One about lighthouses, one about knots, one about nothing much.", "2026-05-30"},
	{"n5", "Tomato soup", "Roast the tomatoes first. Garlic, basil, no cream.", "2026-08-17"},
}
