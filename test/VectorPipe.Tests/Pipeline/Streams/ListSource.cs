using NUnit.Framework;
using VectorPipe.Pipeline.Streams;
using VectorPipe.Tests.Devices;

namespace VectorPipe.Tests.Pipeline.Streams;

/// <summary>Yields the pages and steps of the test; then it pauses, ends or yields, as the test chooses.</summary>
internal sealed class ListSource(int pageBytes) : IReadSource
{
    private readonly Queue<Func<(ReadStep Step, ReadRange Range)>> _steps = new();
    private int _number;

    /// <summary>The answer when no page or step is left.</summary>
    public ReadStep WhenEmpty { get; set; } = ReadStep.End;

    /// <summary>The number of calls.</summary>
    public int Asked { get; private set; }

    /// <summary>Called at every call.</summary>
    public Action WhenAsked { get; set; } = static () => { };

    /// <summary>Thrown by verification for these pages.</summary>
    public Dictionary<long, Exception> Damaged { get; } = [];

    /// <summary>Adds pages; the state of each is its place in the order.</summary>
    public ListSource Pages(params IEnumerable<long> pages)
    {
        foreach (long page in pages)
        {
            long state = _number++;
            _steps.Enqueue(() => (ReadStep.Read, new ReadRange(0, page * pageBytes, pageBytes, state)));
        }

        return this;
    }

    /// <summary>Adds a range.</summary>
    public ListSource Range(ReadRange range)
    {
        _steps.Enqueue(() => (ReadStep.Read, range));
        return this;
    }

    /// <summary>Adds a step without a range.</summary>
    public ListSource Then(ReadStep step)
    {
        _steps.Enqueue(() => (step, default));
        return this;
    }

    /// <summary>Adds a step that throws.</summary>
    public ListSource Throws(Exception error)
    {
        _steps.Enqueue(() => throw error);
        return this;
    }

    public ReadStep Next(out ReadRange range)
    {
        Asked++;
        WhenAsked();
        range = default;
        if (!_steps.TryDequeue(out Func<(ReadStep Step, ReadRange Range)>? next))
            return WhenEmpty;
        (ReadStep step, range) = next();
        return step;
    }

    public void Verify(in ReadBuffer buffer)
    {
        if (Damaged.TryGetValue(buffer.Range.Offset / pageBytes, out Exception? damage))
            throw damage;
        if (buffer.Range.Address != 0)
            return;
        for (int i = 0; i < buffer.Bytes.Length; i++)
        {
            if (buffer.Bytes[i] != PatternFile.ByteAt(buffer.Range.Offset + i))
                Assert.Fail(
                    $"Byte {i} of {buffer.Range} is {buffer.Bytes[i]:x2}, expected {PatternFile.ByteAt(buffer.Range.Offset + i):x2}.");
        }
    }

    public Exception Explain(in ReadRange range, Exception error) => new IOException($"page {range.Offset / pageBytes}", error);
}
