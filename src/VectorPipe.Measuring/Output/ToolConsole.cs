using Microsoft.Extensions.Logging;
using Spectre.Console;
using Spectre.Console.Rendering;

namespace VectorPipe.Measuring.Output;

/// <summary>Where a command writes: results to standard output, progress and log messages to standard error.</summary>
/// <remarks>Tables and progress bars on a terminal, plain lines elsewhere.</remarks>
internal sealed class ToolConsole
{
    /// <summary>Columns of a table that nobody watches: wide enough that no cell is wrapped.</summary>
    private const int PlainWidth = 200;

    private readonly TextWriter _results;
    private readonly TextWriter _error;
    private readonly IAnsiConsole _resultConsole;
    private readonly IAnsiConsole _progressConsole;

    /// <summary>Writes to writers; whether they are terminals is found out, and NO_COLOR is heeded.</summary>
    /// <param name="output">Standard output.</param>
    /// <param name="error">Standard error.</param>
    /// <param name="isVerbose">Whether information is logged beside warnings and errors.</param>
    /// <param name="documentToOutput">Whether standard output is for a document alone: tables go to standard error then.</param>
    public ToolConsole(TextWriter output, TextWriter error, bool isVerbose, bool documentToOutput = false)
    {
        Documents = output;
        _error = error;
        _results = documentToOutput ? error : output;
        _resultConsole = Create(_results);
        _progressConsole = Create(error);
        Logging = new LineLoggerFactory(error, isVerbose ? LogLevel.Information : LogLevel.Warning);
    }

    /// <summary>Standard output, for a document that was asked for there.</summary>
    public TextWriter Documents { get; }

    /// <summary>Writes log messages to standard error.</summary>
    public ILoggerFactory Logging { get; }

    /// <summary>Writes a line of the results as it is.</summary>
    public void WriteLine(string text) => _results.WriteLine(text);

    /// <summary>Writes a table of the results.</summary>
    public void Write(IRenderable table) => _resultConsole.Write(table);

    /// <summary>Runs work that reports its progress: as bars on a terminal, as lines elsewhere, with rate, time left and memory of the
    /// process.</summary>
    /// <param name="work">The work; may report from any thread.</param>
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
