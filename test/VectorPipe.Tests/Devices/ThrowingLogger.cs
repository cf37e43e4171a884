using Microsoft.Extensions.Logging;

namespace VectorPipe.Tests.Devices;

/// <summary>Throws at messages of a level and above, as the framework's logger does if a provider throws.</summary>
internal sealed class ThrowingLogger(LogLevel least) : ILogger
{
    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => true;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (logLevel >= least)
            throw new AggregateException(formatter(state, exception));
    }
}
