using System.Text;
using System.Text.Json.Nodes;
using Microsoft.Extensions.Logging;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace VectorPipe.Measuring.Output;

/// <summary>The console of a command: results go to standard output, progress and log messages to standard error.</summary>
/// <remarks>A terminal shows tables and progress bars, other writers receive plain lines.</remarks>
internal sealed class ToolConsole
{
    // Columns of a table outside of a terminal: wide enough that no cell is wrapped.
    private const int PlainWidth = 200;

    private readonly TextWriter _results;
    private readonly TextWriter _error;
    private readonly IAnsiConsole _resultConsole;
    private readonly IAnsiConsole _progressConsole;

    /// <summary>Detects whether the writers are terminals, and honours NO_COLOR.</summary>
    /// <param name="isVerbose">Whether to log information beside warnings and errors.</param>
    /// <param name="documentToOutput">Whether standard output receives only a document: tables then go to standard error.</param>
    public ToolConsole(TextWriter output, TextWriter error, bool isVerbose, bool documentToOutput = false)
    {
        Documents = output;
        _error = error;
        _results = documentToOutput ? error : output;
        _resultConsole = Create(_results);
        _progressConsole = Create(error);
        Logging = new LineLoggerFactory(error, isVerbose ? LogLevel.Information : LogLevel.Warning);
    }

    /// <summary>How results are written; sentences go to standard error beside JSON and CSV, and tables are left out.</summary>
    public OutputFormat Format { get; init; }

    /// <summary>Standard output, for a document.</summary>
    public TextWriter Documents { get; }

    public ILoggerFactory Logging { get; }

    public void WriteLine(string text) => _results.WriteLine(text);

    /// <summary>Tells something about the input, on standard error.</summary>
    public void Note(string text) => _error.WriteLine($"note: {text}");

    public void Write(IRenderable table)
    {
        if (Format == OutputFormat.Table)
            _resultConsole.Write(table);
    }

    /// <summary>Writes results that are one row, as JSON or CSV; a table has been shown otherwise.</summary>
    public Task WriteDocumentAsync(JsonObject row) => WriteDocumentAsync(row, [row]);

    /// <summary>Writes results as JSON or CSV; a table has been shown otherwise.</summary>
    /// <param name="document">All of them, for JSON.</param>
    /// <param name="rows">The part of them that is a table, for CSV: objects of the same names.</param>
    public async Task WriteDocumentAsync(JsonObject document, IEnumerable<JsonObject> rows)
    {
        if (Format == OutputFormat.Json)
            await Documents.WriteAsync(Encoding.UTF8.GetString(OutputFile.Encode(document)));
        else if (Format == OutputFormat.Csv)
            await OutputFile.WriteCsvAsync(OutputFile.StandardOutput, rows.Select(row => row.ToList()), Documents, CancellationToken.None);
    }

    /// <summary>Runs work and shows its progress. The work may report from any thread.</summary>
    public async Task<T> WithProgressAsync<T>(Func<IProgress<BuildProgress>, Task<T>> work)
    {
        using var memory = new ResidentMemory();
        Capabilities capabilities = _progressConsole.Profile.Capabilities;
        if (!capabilities.Interactive || !capabilities.Ansi)
            return await work(new LineProgress(_error, memory.ReadBytes, TimeProvider.System));
        return await _progressConsole.Progress()
            .Columns(new TaskDescriptionColumn { Alignment = Justify.Left }, new ProgressBarColumn(), new PercentageColumn(),
                new FiguresColumn())
            .StartAsync(context => work(new BarProgress(context, memory.ReadBytes, TimeProvider.System)));
    }

    private static IAnsiConsole Create(TextWriter writer)
    {
        var ansiOutput = new AnsiConsoleOutput(writer);
        bool noColor = !string.IsNullOrEmpty(Environment.GetEnvironmentVariable("NO_COLOR"));
        IAnsiConsole console = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Out = ansiOutput,
            Ansi = ansiOutput.IsTerminal ? AnsiSupport.Detect : AnsiSupport.No,
            ColorSystem = noColor || !ansiOutput.IsTerminal ? ColorSystemSupport.NoColors : ColorSystemSupport.Detect,
            Interactive = ansiOutput.IsTerminal ? InteractionSupport.Detect : InteractionSupport.No,
        });
        if (!ansiOutput.IsTerminal)
            console.Profile.Width = PlainWidth;
        return console;
    }
}
