import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import org.eclipse.lsp4j.*;
import org.eclipse.lsp4j.jsonrpc.Launcher;
import org.eclipse.lsp4j.jsonrpc.services.JsonNotification;
import org.eclipse.lsp4j.jsonrpc.services.JsonRequest;
import org.eclipse.lsp4j.services.LanguageClient;
import org.eclipse.lsp4j.services.LanguageServer;

/**
 * Drives codemode-ls from initialize to a run through LSP4J, the library that
 * LSP4IJ stands on: its deserialisers refuse what its types do not have, as in an
 * IDE. Twice: as the server definition does it, with prompts as messages and results
 * as files, and with the custom methods that a plugin would use.
 */
public final class Drive {
    /** The methods of docs/protocol.md that a plugin needs beside LSP. */
    interface CodemodeServer extends LanguageServer {
        @JsonRequest("codemode/exec")
        CompletableFuture<JsonObject> exec(JsonObject params);

        @JsonRequest("codemode/catalog")
        CompletableFuture<JsonObject> catalog(JsonObject params);
    }

    static final String SCRIPT = "const { sum } = await tools.mcp__box__add({ a: 20, b: 22 });\nreturn sum;\n";

    /** What an IDE keeps of a session. */
    static class Client implements LanguageClient {
        final List<PublishDiagnosticsParams> diagnostics = new CopyOnWriteArrayList<>();
        final List<String> prompts = new CopyOnWriteArrayList<>();
        final List<String> messages = new CopyOnWriteArrayList<>();
        final List<String> events = new CopyOnWriteArrayList<>();

        @Override public void telemetryEvent(Object object) { }

        @Override public void publishDiagnostics(PublishDiagnosticsParams p) { diagnostics.add(p); }

        @Override public void showMessage(MessageParams p) { messages.add(p.getMessage()); }

        @Override public void logMessage(MessageParams p) { }

        @Override public CompletableFuture<MessageActionItem> showMessageRequest(ShowMessageRequestParams p) {
            prompts.add(p.getMessage());
            MessageActionItem answer = null;
            for (MessageActionItem item : p.getActions()) {
                if (List.of("Start", "Start server", "Allow once").contains(item.getTitle())) {
                    answer = item;
                }
            }
            return CompletableFuture.completedFuture(answer);
        }

        @Override public CompletableFuture<ShowDocumentResult> showDocument(ShowDocumentParams p) {
            messages.add(p.getUri());
            return CompletableFuture.completedFuture(new ShowDocumentResult(true));
        }

        @Override public CompletableFuture<List<Object>> configuration(ConfigurationParams p) {
            List<Object> answers = new ArrayList<>();
            for (ConfigurationItem item : p.getItems()) {
                answers.add("codemode".equals(item.getSection()) ? settings() : null);
            }
            return CompletableFuture.completedFuture(answers);
        }

        @Override public CompletableFuture<Void> registerCapability(RegistrationParams p) { return CompletableFuture.completedFuture(null); }

        @Override public CompletableFuture<Void> unregisterCapability(UnregistrationParams p) { return CompletableFuture.completedFuture(null); }

        @Override public CompletableFuture<Void> createProgress(WorkDoneProgressCreateParams p) { return CompletableFuture.completedFuture(null); }

        @Override public void notifyProgress(ProgressParams p) { }

        @Override public CompletableFuture<Void> refreshCodeLenses() { return CompletableFuture.completedFuture(null); }

        @Override public CompletableFuture<Void> refreshInlayHints() { return CompletableFuture.completedFuture(null); }

        @Override public CompletableFuture<Void> refreshSemanticTokens() { return CompletableFuture.completedFuture(null); }

        @Override public CompletableFuture<Void> refreshDiagnostics() { return CompletableFuture.completedFuture(null); }

        @JsonRequest("codemode/permission") public CompletableFuture<JsonObject> permission(JsonObject question) {
            prompts.add(question.toString());
            return CompletableFuture.completedFuture(json("{'decision':'allow','scope':'once'}"));
        }

        @JsonNotification("codemode/execEvent") public void execEvent(JsonObject event) { events.add(event.get("kind").getAsString()); }

        @JsonNotification("codemode/serversChanged") public void serversChanged(JsonElement servers) { }

        @JsonNotification("codemode/catalogChanged") public void catalogChanged(JsonElement change) { }
    }

    static String binary;

    /** The program's own demo as a server of these settings, which a person has to approve. */
    static JsonObject settings() {
        JsonObject settings = json("{'mcpServers':{'box':{'args':['demo']}}}");
        settings.getAsJsonObject("mcpServers").getAsJsonObject("box").addProperty("command", binary);
        return settings;
    }

    static JsonObject json(String text) { return JsonParser.parseString(text.replace('\'', '"')).getAsJsonObject(); }

    static <T> T get(CompletableFuture<T> answer) throws Exception { return answer.get(120, TimeUnit.SECONDS); }

    static int passed;

    static void check(String name, boolean ok, Object got) {
        if (!ok) {
            System.out.println("FAIL " + name + ": got " + got);
            System.exit(1);
        }
        passed++;
        System.out.println("ok   " + name);
    }

    static void await(String name, Supplier<Boolean> is, Supplier<Object> got) throws Exception {
        for (int i = 0; i < 1200 && !is.get(); i++) {
            Thread.sleep(100); // polls a condition; nothing here measures time
        }
        check(name, is.get(), got.get());
    }

    /** @param plugin whether the client speaks the custom methods */
    static void session(boolean plugin) throws Exception {
        Path folder = Files.createTempDirectory("lsp4j");
        Process process = new ProcessBuilder(binary, "lsp").directory(folder.toFile()).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        Client client = new Client();
        Launcher<CodemodeServer> launcher = new Launcher.Builder<CodemodeServer>()
            .setLocalService(client).setRemoteInterface(CodemodeServer.class)
            .setInput(process.getInputStream()).setOutput(process.getOutputStream()).create();
        launcher.startListening();
        CodemodeServer server = launcher.getRemoteProxy();

        InitializeParams params = new InitializeParams();
        params.setProcessId((int) ProcessHandle.current().pid());
        params.setWorkspaceFolders(List.of(new WorkspaceFolder(folder.toUri().toString(), "w")));
        JsonObject options = new JsonObject();
        options.add("codemode", settings());
        params.setInitializationOptions(options);
        ClientCapabilities capabilities = new ClientCapabilities();
        WorkspaceClientCapabilities workspace = new WorkspaceClientCapabilities();
        workspace.setConfiguration(true);
        workspace.setWorkspaceFolders(true);
        capabilities.setWorkspace(workspace);
        TextDocumentClientCapabilities text = new TextDocumentClientCapabilities();
        CompletionItemCapabilities item = new CompletionItemCapabilities(true);
        text.setCompletion(new CompletionCapabilities(item));
        text.setHover(new HoverCapabilities(List.of("markdown", "plaintext"), false));
        text.setCodeLens(new CodeLensCapabilities());
        text.setPublishDiagnostics(new PublishDiagnosticsCapabilities(true));
        capabilities.setTextDocument(text);
        WindowClientCapabilities window = new WindowClientCapabilities();
        window.setShowDocument(new ShowDocumentCapabilities(true));
        window.setShowMessage(new WindowShowMessageRequestCapabilities());
        capabilities.setWindow(window);
        if (plugin) {
            capabilities.setExperimental(json("{'codemode':{'permission':true,'events':true}}"));
        }
        params.setCapabilities(capabilities);
        InitializeResult initialized = get(server.initialize(params));
        check("initialize", initialized.getCapabilities().getCompletionProvider() != null, initialized);
        server.initialized(new InitializedParams());

        String uri = folder.resolve("hello.exec.ts").toUri().toString();
        Files.writeString(folder.resolve("hello.exec.ts"), SCRIPT);
        server.getTextDocumentService().didOpen(new DidOpenTextDocumentParams(new TextDocumentItem(uri, "codemode", 1, SCRIPT.replace("20", "\"x\""))));
        if (!plugin) { // approved by then
            await("the server is asked about", () -> client.prompts.stream().anyMatch(p -> p.contains("box")), () -> client.prompts);
        }
        await("a wrong argument is marked", () -> client.diagnostics.stream().anyMatch(d -> d.getDiagnostics().stream().anyMatch(x -> x.getMessage().toString().contains("'string'"))), () -> client.diagnostics);
        server.getTextDocumentService().didChange(new DidChangeTextDocumentParams(new VersionedTextDocumentIdentifier(uri, 2), List.of(new TextDocumentContentChangeEvent(SCRIPT))));

        TextDocumentIdentifier document = new TextDocumentIdentifier(uri);
        var completion = get(server.getTextDocumentService().completion(new CompletionParams(document, new Position(0, SCRIPT.indexOf("mcp__")))));
        List<CompletionItem> items = completion.isLeft() ? completion.getLeft() : completion.getRight().getItems();
        check("completion", items.stream().anyMatch(i -> i.getLabel().equals("mcp__box__add")), items.stream().map(CompletionItem::getLabel).toList());
        Hover hover = get(server.getTextDocumentService().hover(new HoverParams(document, new Position(0, SCRIPT.indexOf("add")))));
        check("hover", hover.getContents().getRight().getValue().contains("mcp__box__add"), hover);
        List<? extends CodeLens> lenses = get(server.getTextDocumentService().codeLens(new CodeLensParams(document)));
        CodeLens run = lenses.stream().filter(l -> l.getCommand().getTitle().contains("Run")).findFirst().orElse(null);
        check("a lens runs the script", run != null && initialized.getCapabilities().getExecuteCommandProvider().getCommands().contains(run.getCommand().getCommand()), lenses);

        if (plugin) {
            JsonObject result = get(server.exec(json("{'textDocument':{'uri':'" + uri + "'},'token':'t'}")));
            check("codemode/exec", result.get("status").getAsString().equals("completed") && result.get("value").getAsInt() == 42, result);
            check("codemode/permission asked with the arguments", client.prompts.stream().anyMatch(p -> p.contains("mcp__box__add") && p.contains("20")), client.prompts);
            check("events", client.events.contains("started") && client.events.contains("call"), client.events);
            JsonObject catalog = get(server.catalog(new JsonObject()));
            check("the catalog", catalog.get("text").getAsString().contains("tools.mcp__box__add("), catalog);
        } else {
            get(server.getWorkspaceService().executeCommand(new ExecuteCommandParams(run.getCommand().getCommand(), run.getCommand().getArguments())));
            await("the call is asked for as a message", () -> client.prompts.stream().anyMatch(p -> p.contains("mcp__box__add") && p.contains("20")), () -> client.prompts);
            await("the result is reported", () -> client.messages.stream().anyMatch(m -> m.contains("completed")), () -> client.messages);
        }
        get(server.shutdown());
        server.exit();
        check("it ends", process.waitFor(60, TimeUnit.SECONDS) && process.exitValue() == 0, process);
    }

    public static void main(String[] args) throws Exception {
        binary = args[0];
        System.out.println("As the server definition does it:");
        session(false);
        System.out.println("With the custom methods:");
        session(true);
        System.out.println(passed + " passed, 0 failed");
        System.exit(0);
    }
}
