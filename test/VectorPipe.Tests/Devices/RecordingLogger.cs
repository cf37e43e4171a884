using Microsoft.Extensions.Logging;

namespace VectorPipe.Tests.Devices;

/// <summary>Keeps log messages. Logging is thread-safe; reading the messages meanwhile is not.</summary>
internal sealed class RecordingLogger : ILogger
{
    public List<string> Messages { get; } = [];

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        lock (Messages)
            Messages.Add(formatter(state, exception));
    }
}
