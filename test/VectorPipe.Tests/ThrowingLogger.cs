using Microsoft.Extensions.Logging;

namespace VectorPipe.Tests;

/// <summary>Throws at some messages, as the framework's logger does if a provider throws.</summary>
/// <remarks>It is the logger of every category, too.</remarks>
/// <param name="throwsAt">Tells by level, event and text at which messages; null for all.</param>
internal sealed class ThrowingLogger(Func<LogLevel, EventId, string, bool>? throwsAt = null) : ILoggerFactory, ILogger
{
    private int _thrown;

    /// <summary>Messages at which it has thrown.</summary>
    public int Thrown => Volatile.Read(ref _thrown);

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider)
    {
    }

    public void Dispose()
    {
    }

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        string text = formatter(state, exception);
        if (throwsAt?.Invoke(logLevel, eventId, text) == false)
            return;
        Interlocked.Increment(ref _thrown);
        throw new AggregateException(text);
    }
}
