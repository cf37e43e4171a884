using Microsoft.Extensions.Logging;

namespace VectorPipe.Measuring.Output;

/// <summary>Writes log messages of a least level to a writer, one per line and unbuffered. Thread-safe.</summary>
internal sealed class LineLoggerFactory(TextWriter output, LogLevel minimum) : ILoggerFactory, ILogger
{
    private readonly Lock _lock = new();

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider) => throw new NotSupportedException("Messages go to one writer only.");

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => logLevel >= minimum && logLevel != LogLevel.None;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (!IsEnabled(logLevel))
            return;
        string cause = exception is null ? "" : $" {Failure.OneLine(exception.Message)}";
        lock (_lock)
            output.WriteLine($"{NameOf(logLevel)} {eventId.Id}: {Failure.OneLine(formatter(state, exception))}{cause}");
    }

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
