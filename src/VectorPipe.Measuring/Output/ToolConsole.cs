using Spectre.Console;
using Spectre.Console.Rendering;

namespace VectorPipe.Measuring.Output;

/// <summary>Where a command writes its results: tables and progress bars on a terminal, plain lines elsewhere.</summary>
internal sealed class ToolConsole
{
    /// <summary>Columns of a table that nobody watches: wide enough that no cell is wrapped.</summary>
    private const int PlainWidth = 200;

    private readonly TextWriter _output;
    private readonly IAnsiConsole _ansi;

    /// <summary>Writes to a writer; whether it is a terminal is found out, and NO_COLOR is heeded.</summary>
    public ToolConsole(TextWriter output)
    {
        _output = output;
        var ansiOutput = new AnsiConsoleOutput(output);
        bool noColor = !string.IsNullOrEmpty(Environment.GetEnvironmentVariable("NO_COLOR"));
        _ansi = AnsiConsole.Create(new AnsiConsoleSettings
        {
            Out = ansiOutput,
            Ansi = ansiOutput.IsTerminal ? AnsiSupport.Detect : AnsiSupport.No,
            ColorSystem = noColor || !ansiOutput.IsTerminal ? ColorSystemSupport.NoColors : ColorSystemSupport.Detect,
            Interactive = ansiOutput.IsTerminal ? InteractionSupport.Detect : InteractionSupport.No,
        });
        if (!ansiOutput.IsTerminal)
            _ansi.Profile.Width = PlainWidth;
    }

    /// <summary>Writes a line as it is.</summary>
    public void WriteLine(string text) => _output.WriteLine(text);

    /// <summary>Writes a table.</summary>
    public void Write(IRenderable table) => _ansi.Write(table);

    /// <summary>Runs work that reports its progress: as bars on a terminal, as lines elsewhere, with rate, time left and memory of the process.</summary>
    /// <param name="work">The work; may report from any thread.</param>
    public async Task<T> WithProgressAsync<T>(Func<IProgress<BuildProgress>, Task<T>> work)
    {
        using var memory = new ResidentMemory();
        Capabilities capabilities = _ansi.Profile.Capabilities;
        if (!capabilities.Interactive || !capabilities.Ansi)
            return await work(new LineProgress(_output, memory.ReadBytes, TimeProvider.System));
        return await _ansi.Progress()
            .Columns(new TaskDescriptionColumn { Alignment = Justify.Left }, new ProgressBarColumn(), new PercentageColumn(), new FiguresColumn())
            .StartAsync(context => work(new BarProgress(context, memory.ReadBytes, TimeProvider.System)));
    }
}
