using System.Diagnostics;
using System.Net;
using System.Net.Http.Json;
using System.Text.Json;
using NUnit.Framework;

namespace VectorPipe.Extensions.Tests;

/// <summary>The samples of a web service answer, in processes of their own.</summary>
[TestFixture]
internal sealed class WebSampleTests
{
    private const string Listening = "Now listening on: ";
    private const string Curl = "curl";
    private const string Page = "docs/getting-started.md";

    // The services of the page, in its order, with the addresses that it prints, and whether it shows all of the last answer.
    private static readonly (string Name, string Printed, bool IsWhole)[] _services =
        [("GettingStartedWeb", "localhost:5000", true), ("GettingStartedText", "localhost:5001", false)];

    [Test]
    public async Task The_sample_answers_questions_and_takes_passages()
    {
        string directory = Directory.CreateTempSubdirectory("vectorpipe-rag-").FullName;
        await using var collector = new Collector();
        using Process sample = Start(
            "AspNetCoreRag", directory, ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.Address),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/protobuf"), ("OTEL_METRIC_EXPORT_INTERVAL", "100"), ("OTEL_BSP_SCHEDULE_DELAY", "100"));
        try
        {
            using HttpClient client = new() { BaseAddress = new Uri(await AddressOfAsync(sample)) };
            const string Question = "ask?question=who%20hunts%20the%20whale";
            Assert.That(await SourcesAsync(client, Question), Has.Length.EqualTo(3).And.ItemAt(0).EqualTo("Moby-Dick"));
            Assert.That(await SourcesAsync(client, $"{Question}&since=1852"), Has.No.Member("Moby-Dick"));
            using HttpResponseMessage put = await client.PutAsJsonAsync(
                "passages/7", new { Source = "Log", Year = 2000, Text = "who hunts the whale" });
            put.EnsureSuccessStatusCode();
            Assert.That((await SourcesAsync(client, Question))[0], Is.EqualTo("Log"));
            using HttpResponseMessage deleted = await client.DeleteAsync("passages/7");
            deleted.EnsureSuccessStatusCode();
            Assert.That(await SourcesAsync(client, Question), Has.No.Member("Log"));
            Assert.That(await client.GetStringAsync("health"), Is.AnyOf("Healthy", "Degraded"));
            using var limit = new CancellationTokenSource(TimeSpan.FromSeconds(40));
            await collector.ReceiveAllAsync(
                limit.Token, ("/v1/metrics", "vectorpipe.collection.vectors"), ("/v1/traces", "search passages"));
        }
        finally
        {
            sample.Kill();
            await sample.WaitForExitAsync();
            Directory.Delete(directory, recursive: true);
        }
    }

    [Test]
    public async Task The_first_service_of_the_docs_takes_books_and_finds_them()
    {
        await RunAsync("GettingStartedWeb", async client =>
        {
            await PutAsync(client, "moby", "Moby-Dick", 1851, [1, 0, 0, 0]);
            await PutAsync(client, "solaris", "Solaris", 1961, [0.9f, 0.1f, 0, 0]);
            float[] whale = [1, 0, 0, 0];
            Assert.That(await TitlesAsync(client, new { Vector = whale }), Is.EqualTo(new[] { "Moby-Dick", "Solaris" }));
            Assert.That(await TitlesAsync(client, new { Vector = whale, Since = 1900 }), Is.EqualTo(new[] { "Solaris" }));
            Assert.That(await client.GetStringAsync("health"), Is.AnyOf("Healthy", "Degraded"));
            using HttpResponseMessage refused = await client.PostAsJsonAsync("search", new { Vector = whale[..3] });
            Assert.That(refused.StatusCode, Is.EqualTo(HttpStatusCode.BadRequest), "a vector of another dimension");
            using HttpResponseMessage untitled = await client.PutAsJsonAsync("books/untitled", new { Year = 1900, Vector = whale });
            Assert.That(untitled.StatusCode, Is.EqualTo(HttpStatusCode.BadRequest), "a book without a title");
        });
    }

    [Test]
    public async Task The_commands_of_the_docs_are_answered_as_they_say()
    {
        string curl = InstalledPrograms.RequireOne(Curl);
        PageCommand[] commands = [.. PageCommand.All().Where(command => command.Program == Curl)];
        Assert.That(commands.Select(command => command.Page).Distinct(), Is.EqualTo(new[] { Page }));
        Assert.That(
            commands.Where(command => !_services.Any(service => command.Text.Contains(service.Printed, StringComparison.Ordinal))),
            Is.Empty);
        string[] shown = Repository.BlocksOf(Page, "json");
        Assert.That(shown, Has.Length.EqualTo(_services.Length));
        foreach (((string name, string printed, bool isWhole), string json) in _services.Zip(shown))
        {
            await RunAsync(name, async client =>
            {
                string answer = "";
                string address = client.BaseAddress!.Authority;
                foreach (PageCommand command in commands.Where(command => command.Text.Contains(printed, StringComparison.Ordinal)))
                    answer = await OutputAsync(curl, command, printed, address);

                // Of several hits the page shows the first.
                Assert.That(answer, isWhole ? Is.EqualTo(json.Trim()) : Does.StartWith(json.Trim()[..^1] + ","));
            });
        }
    }

    [Test]
    public async Task A_question_without_words_is_answered()
    {
        await RunAsync("GettingStartedText", async client =>
            Assert.That(await client.GetFromJsonAsync<JsonElement[]>("ask?question=..."), Has.Length.EqualTo(3)));
    }

    // Runs a sample in a folder of its own.
    private static async Task RunAsync(string name, Func<HttpClient, Task> ask)
    {
        string directory = Directory.CreateTempSubdirectory("vectorpipe-sample-").FullName;
        using Process sample = Start(name, directory);
        try
        {
            using HttpClient client = new() { BaseAddress = new Uri(await AddressOfAsync(sample)) };
            await ask(client);
        }
        finally
        {
            sample.Kill();
            await sample.WaitForExitAsync();
            Directory.Delete(directory, recursive: true);
        }
    }

    private static async Task<string> OutputAsync(string curl, PageCommand command, string printed, string address)
    {
        IEnumerable<string> words = ShellLine.Parse(command.Text).Words[1..]
            .Select(word => word.Replace(printed, address, StringComparison.Ordinal));
        using Process request = Process.Start(
            new ProcessStartInfo(curl, ["--silent", "--show-error", "--fail", .. words]) { RedirectStandardOutput = true })!;
        string output = await request.StandardOutput.ReadToEndAsync();
        await request.WaitForExitAsync();
        Assert.That(request.ExitCode, Is.Zero, $"{command}");
        return output;
    }

    private static async Task PutAsync(HttpClient client, string key, string title, int year, float[] vector)
    {
        using HttpResponseMessage put = await client.PutAsJsonAsync($"books/{key}", new { Title = title, Year = year, Vector = vector });
        put.EnsureSuccessStatusCode();
    }

    private static async Task<string[]> TitlesAsync(HttpClient client, object question)
    {
        using HttpResponseMessage answer = await client.PostAsJsonAsync("search", question);
        JsonElement[] hits = await answer.EnsureSuccessStatusCode().Content.ReadFromJsonAsync<JsonElement[]>() ?? [];
        return [.. hits.Select(hit => hit.GetProperty("title").GetString()!)];
    }

    private static async Task<string[]> SourcesAsync(HttpClient client, string path)
    {
        JsonElement[] hits = await client.GetFromJsonAsync<JsonElement[]>(path) ?? [];
        return [.. hits.Select(hit => hit.GetProperty("source").GetString()!)];
    }

    private static Process Start(string name, string directory, params (string Name, string Value)[] environment)
    {
        string program = Path.Combine(Repository.Root, "samples", name, "bin", Configuration(), "net10.0", name + ".dll");
        var start = new ProcessStartInfo("dotnet", [program, "--urls", "http://127.0.0.1:0", "--data", directory])
        {
            RedirectStandardOutput = true,
        };
        foreach ((string variable, string value) in environment)
            start.Environment[variable] = value;
        return Process.Start(start) ?? throw new InvalidOperationException("expected a process");
    }

    private static async Task<string> AddressOfAsync(Process sample)
    {
        while (await sample.StandardOutput.ReadLineAsync() is { } line)
        {
            int at = line.IndexOf(Listening, StringComparison.Ordinal);
            if (at >= 0)
                return line[(at + Listening.Length)..];
        }

        throw new InvalidOperationException("expected the sample to listen, found that it ended");
    }

    // bin/CONFIGURATION/net10.0
    private static string Configuration() => new DirectoryInfo(AppContext.BaseDirectory.TrimEnd(Path.DirectorySeparatorChar)).Parent!.Name;
}
