using Microsoft.Extensions.Logging;

namespace VectorPipe.Measuring.Output;

/// <summary>Writes log messages to a writer at once, a line each. Thread-safe.</summary>
/// <param name="output">Receives the lines.</param>
/// <param name="minimum">The least level that is written.</param>
internal sealed class LineLoggerFactory(TextWriter output, LogLevel minimum) : ILoggerFactory, ILogger
{
    private readonly Lock _lock = new();

    /// <inheritdoc/>
    public ILogger CreateLogger(string categoryName) => this;

    /// <inheritdoc/>
    public void AddProvider(ILoggerProvider provider) => throw new NotSupportedException("Messages go to one writer alone.");

    /// <inheritdoc/>
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    /// <inheritdoc/>
    public bool IsEnabled(LogLevel logLevel) => logLevel >= minimum && logLevel != LogLevel.None;

    /// <inheritdoc/>
    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (!IsEnabled(logLevel))
            return;
        string cause = exception is null ? "" : $" {Failure.OneLine(exception.Message)}";
        lock (_lock)
            output.WriteLine($"{NameOf(logLevel)} {eventId.Id}: {Failure.OneLine(formatter(state, exception))}{cause}");
    }

    /// <summary>Nothing is held.</summary>
    public void Dispose()
    {
    }

    private static string NameOf(LogLevel level) => level switch
    {
        LogLevel.Trace or LogLevel.Debug => "debug",
        LogLevel.Information => "info",
        LogLevel.Warning => "warning",
        _ => "error",
    };
}
