using System.Diagnostics;

namespace VectorPipe.Server.Sets;

/// <summary>A vector set: a collection whose keys are the elements, whose payloads are their attributes.</summary>
/// <remarks>Thread-safe. Whoever uses it holds it, so that it is closed behind the last use.</remarks>
internal sealed class VectorSet
{
    /// <summary>Present at elements with attributes, so that they can be counted.</summary>
    public const string AttributedName = "attributed";

    /// <summary>At elements of replicas: the position of the cluster's log that wrote it.</summary>
    public const string PositionName = "position";

    private const int Stripes = 64;

    // Well below the bound of collections, a quarter of the largest float: sums in another order differ.
    private const float MostSquaredNorm = float.MaxValue / 8;

    private static readonly AttributeSet _attributed = new() { [AttributedName] = true };
    private static readonly AttributeDefinition _attributedColumn = new(AttributedName, AttributeType.Boolean);
    private static readonly AttributeDefinition _positionColumn = new(PositionName, AttributeType.Int64);

    private readonly SemaphoreSlim[] _stripes = [.. Enumerable.Range(0, Stripes).Select(_ => new SemaphoreSlim(1, 1))];
    private readonly TaskCompletionSource _unused = new(TaskCreationOptions.RunContinuationsAsynchronously);

    private readonly Lock _gate = new();

    // Those who hold it, and one for the store.
    private int _holds = 1;
    private int _writers;
    private bool _isDropped;

    public VectorSet(SetSettings settings, string folder, VectorCollection<string> collection)
    {
        Settings = settings;
        Folder = folder;
        Collection = collection;
    }

    public SetSettings Settings { get; }

    /// <summary>The folder of the settings and the collection.</summary>
    public string Folder { get; }

    public VectorCollection<string> Collection { get; }

    /// <summary>Ends when nobody holds it any more.</summary>
    public Task Unused => _unused.Task;

    /// <summary>The schema of the collection of a set.</summary>
    public static CollectionSchema SchemaOf(SetSettings settings) => new()
    {
        Dimension = settings.Dimension,
        ElementType = VectorElementType.Float32,
        Metric = settings.Metric,
        Attributes = settings.Shard == 0 ? [_attributedColumn] : [_attributedColumn, _positionColumn],
    };

    /// <summary>Whether a set takes a vector: finite, of a squared norm that has room, and not zero by cosine.</summary>
    public static bool Keeps(ReadOnlySpan<float> vector, DistanceMetric metric)
    {
        float norm = 0;
        foreach (float component in vector)
            norm += component * component;
        return norm <= MostSquaredNorm && (norm > 0 || metric != DistanceMetric.Cosine);
    }

    /// <summary>Holds it; false if it is being closed.</summary>
    public bool TryHold()
    {
        int holds = Volatile.Read(ref _holds);
        while (holds > 0)
        {
            int before = Interlocked.CompareExchange(ref _holds, holds + 1, holds);
            if (before == holds)
                return true;
            holds = before;
        }

        return false;
    }

    public void Release()
    {
        int holds = Interlocked.Decrement(ref _holds);
        Debug.Assert(holds >= 0, "released as often as held");
        if (holds == 0)
            _unused.SetResult();
    }

    /// <summary>Begins a write; false if the set was dropped. Ends with <see cref="EndWrite"/>.</summary>
    public bool TryBeginWrite()
    {
        lock (_gate)
        {
            if (_isDropped)
                return false;
            _writers++;
            return true;
        }
    }

    public void EndWrite()
    {
        lock (_gate)
        {
            Debug.Assert(_writers > 0, "ended as often as begun");
            _writers--;
        }
    }

    /// <summary>Refuses writes from now on.</summary>
    /// <param name="onlyIfEmpty">Fails if it has an element, or if one may be coming.</param>
    public bool TryDrop(bool onlyIfEmpty)
    {
        lock (_gate)
        {
            if (_isDropped || (onlyIfEmpty && (_writers > 0 || Collection.Count > 0)))
                return false;
            return _isDropped = true;
        }
    }

    /// <summary>Takes writes again, as the set could not be removed.</summary>
    public void UndoDrop()
    {
        lock (_gate)
            _isDropped = false;
    }

    /// <summary>Adds an element, or gives it another vector.</summary>
    /// <param name="attributes">Its attributes; empty for none, null for those that it has.</param>
    /// <returns>Whether it was added.</returns>
    public async Task<bool> PutAsync(
        string element, ReadOnlyMemory<float> vector, ReadOnlyMemory<byte>? attributes, CancellationToken cancellationToken)
    {
        SemaphoreSlim stripe = StripeOf(element);
        await stripe.WaitAsync(cancellationToken);
        try
        {
            CollectionRecord<string>? before = await Collection.GetAsync(element, Include.Payload, cancellationToken);
            await WriteAsync(element, vector, attributes ?? before?.Payload ?? default, cancellationToken);
            return before is null;
        }
        finally
        {
            stripe.Release();
        }
    }

    /// <summary>Gives an element other attributes; none if empty.</summary>
    /// <returns>Whether there is such an element.</returns>
    public async Task<bool> SetAttributesAsync(string element, ReadOnlyMemory<byte> attributes, CancellationToken cancellationToken)
    {
        SemaphoreSlim stripe = StripeOf(element);
        await stripe.WaitAsync(cancellationToken);
        try
        {
            if (await Collection.GetAsync(element, Include.Vector, cancellationToken) is not { } before)
                return false;
            await WriteAsync(element, before.GetVector<float>().ToArray(), attributes, cancellationToken);
            return true;
        }
        finally
        {
            stripe.Release();
        }
    }

    /// <summary>Takes an element out.</summary>
    /// <returns>Whether there was one.</returns>
    public async Task<bool> RemoveAsync(string element, CancellationToken cancellationToken)
    {
        SemaphoreSlim stripe = StripeOf(element);
        await stripe.WaitAsync(cancellationToken);
        try
        {
            return await Collection.DeleteAsync(element, cancellationToken);
        }
        finally
        {
            stripe.Release();
        }
    }

    private Task WriteAsync(string element, ReadOnlyMemory<float> vector, ReadOnlyMemory<byte> attributes, CancellationToken token) =>
        Collection.UpsertAsync(element, vector, attributes.IsEmpty ? null : _attributed, attributes, token);

    // What is read and then written must not be changed between: one writer of an element at a time.
    private SemaphoreSlim StripeOf(string element) => _stripes[(uint)string.GetHashCode(element, StringComparison.Ordinal) % Stripes];
}
