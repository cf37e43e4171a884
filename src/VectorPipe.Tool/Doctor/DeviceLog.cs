using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;

namespace VectorPipe.Tool.Doctor;

/// <summary>Keeps the messages that the library logs about its device. Thread-safe.</summary>
internal sealed class DeviceLog : ILoggerFactory, ILogger
{
    /// <summary>Event of a file that is read through the page cache.</summary>
    public const int Buffered = 301;

    /// <summary>Event of buffers that are not registered.</summary>
    public const int Unregistered = 303;

    private readonly ConcurrentDictionary<int, string> _reasons = [];

    /// <summary>The reason that the first message of an event gave; null if there was none.</summary>
    public string? ReasonOf(int eventId) => _reasons.GetValueOrDefault(eventId);

    public ILogger CreateLogger(string categoryName) => this;

    public void AddProvider(ILoggerProvider provider) => throw new NotSupportedException("Expected no other receiver of messages.");

    public IDisposable? BeginScope<TState>(TState state)
        where TState : notnull => null;

    public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Information;

    public void Log<TState>(
        LogLevel logLevel, EventId eventId, TState state, Exception? exception, Func<TState, Exception?, string> formatter)
    {
        if (state is IReadOnlyList<KeyValuePair<string, object?>> values
            && values.FirstOrDefault(value => value.Key == "Reason").Value is { } reason)
            _reasons.TryAdd(eventId.Id, reason.ToString() ?? "");
    }

    public void Dispose()
    {
        // It holds memory alone.
    }
}
