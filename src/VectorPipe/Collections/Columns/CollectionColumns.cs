using System.Diagnostics;
using VectorPipe.Collections.Attributes;
using VectorPipe.Filters.Binding;
using VectorPipe.Searching.Filtering;

namespace VectorPipe.Collections.Columns;

/// <summary>The attributes of all records that are in an index, in memory, by internal id.</summary>
/// <remarks>One thread changes and seals them before searches see them; from then on they stay as they are, and may be copied.</remarks>
internal sealed class CollectionColumns
{
    /// <summary>Most nodes: arrays have no more elements.</summary>
    public const uint MostNodes = 0x7FFF_FFC0;

    // Rows that are tested together: what the tests say of them stays in the first cache.
    private const int RowsTogether = 4096;

    private readonly AttributeDefinition[] _definitions;
    private readonly AttributeColumn[] _columns;
    private readonly RowBits _live;

    /// <param name="definitions">The attributes of the schema.</param>
    /// <param name="nodes">Internal ids are below this.</param>
    public CollectionColumns(AttributeDefinition[] definitions, uint nodes)
    {
        Nodes = checked((int)nodes);
        _definitions = definitions;
        _columns = [.. definitions.Select(definition => AttributeColumn.Create(definition.Type, Nodes))];
        _live = new RowBits(Nodes);
    }

    private CollectionColumns(CollectionColumns from, uint nodes)
    {
        Nodes = checked((int)nodes);
        _definitions = from._definitions;
        _columns = [.. from._columns.Select(column => column.Copy(Nodes))];
        _live = new RowBits(Nodes, from._live);
        Count = from.Count;
        AssertInvariants();
    }

    /// <summary>Internal ids are below this.</summary>
    public int Nodes { get; }

    /// <summary>Records.</summary>
    public long Count { get; private set; }

    /// <summary>Bytes of memory.</summary>
    public long MemoryBytes => _live.MemoryBytes + _columns.Sum(column => column.MemoryBytes);

    /// <summary>A copy that may be changed.</summary>
    /// <param name="nodes">Its internal ids are below this, which is not below those of the original.</param>
    public CollectionColumns Copy(uint nodes) => new(this, nodes);

    /// <summary>Adds a record, or replaces the one that has its id.</summary>
    /// <param name="id">Its internal id.</param>
    /// <param name="attributes">Its encoded attributes; empty for none.</param>
    /// <returns>False, and never an error, if the bytes are no attributes of the schema.</returns>
    public bool TryAdd(uint id, ReadOnlySpan<byte> attributes)
    {
        int row = checked((int)id);
        Remove(id);
        _live[row] = true;
        Count++;
        var reader = new ByteReader(attributes);
        int last = -1;
        while (reader.TryReadByte(out byte place))
        {
            if (place <= last || place >= _columns.Length || !_columns[place].TrySet(row, ref reader))
                return false;
            last = place;
        }

        return true;
    }

    /// <summary>Removes a record, if there is one.</summary>
    public void Remove(uint id)
    {
        int row = checked((int)id);
        if (!_live[row])
            return;
        _live[row] = false;
        Count--;
        foreach (AttributeColumn column in _columns)
            column.Clear(row);
    }

    /// <summary>Ends a series of changes, before the columns are searched or copied.</summary>
    public void Seal()
    {
        foreach (AttributeColumn column in _columns)
            column.Seal();
    }

    /// <summary>Writes all rows.</summary>
    public void Write(ColumnWriter writer)
    {
        writer.Write(Nodes);
        writer.Write(Count);
        writer.Write(_columns.Length);
        foreach (AttributeDefinition definition in _definitions)
            writer.Write((byte)definition.Type);
        _live.Write(writer);
        foreach (AttributeColumn column in _columns)
            column.Write(writer);
    }

    /// <summary>Reads the first rows of columns that have none.</summary>
    /// <param name="reader">The reader.</param>
    /// <param name="rows">The rows, at most as many as there are nodes.</param>
    /// <exception cref="IndexCorruptException">The bytes are no columns of the schema.</exception>
    public void Read(ColumnReader reader, uint rows)
    {
        reader.Require(reader.Read<int>() == rows, $"columns of {rows} rows");
        Count = reader.Read<long>();
        reader.Require(reader.Read<int>() == _columns.Length, $"{_columns.Length} columns");
        foreach (AttributeDefinition definition in _definitions)
            reader.Require(reader.Read<byte>() == (byte)definition.Type, $"a column of {definition.Type} for '{definition.Name}'");
        _live.Read(reader, (int)rows);
        reader.Require(_live.Count() == Count, $"{Count} rows of records");
        foreach (AttributeColumn column in _columns)
            column.Read(reader, (int)rows);
        reader.RequireEnd();
    }

    /// <summary>Describes a difference to columns of the same schema; null if there is none.</summary>
    public string? FindDifference(CollectionColumns other)
    {
        if (Nodes != other.Nodes || Count != other.Count)
            return $"expected {Count} records in {Nodes} nodes, found {other.Count} in {other.Nodes}";
        for (int row = 0; row < Nodes; row++)
        {
            if (_live[row] != other._live[row])
                return $"expected {(_live[row] ? "a" : "no")} record in node {row}, found {(_live[row] ? "none" : "one")}";
        }

        for (int place = 0; place < _columns.Length; place++)
        {
            if (_columns[place].FindDifference(other._columns[place]) is var row and >= 0)
                return $"expected the value of '{_definitions[place].Name}' in the record of node {row}, found another one";
        }

        return null;
    }

    /// <summary>Finds the records that match a filter.</summary>
    /// <exception cref="OperationCanceledException">It was cancelled.</exception>
    public MatchSet Match(BoundFilter filter, CancellationToken cancellationToken)
    {
        RowTest[] tests = [.. filter.Leaves.Select(leaf => _columns[leaf.Place].TestOf(leaf))];
        ulong[][] passes = [.. tests.Select(_ => new ulong[RowsTogether / 64])];
        ReadOnlySpan<ulong> live = _live.Words;
        var matches = new ulong[live.Length];
        for (int first = 0; first < live.Length; first += RowsTogether / 64)
        {
            cancellationToken.ThrowIfCancellationRequested();
            int words = Math.Min(RowsTogether / 64, live.Length - first);
            for (int i = 0; i < tests.Length; i++)
                tests[i](first * 64, passes[i].AsSpan(0, words));
            Span<ulong> found = matches.AsSpan(first, words);
            filter.Combine(passes, found);
            for (int i = 0; i < words; i++)
                found[i] &= live[first + i];
        }

        return MatchSet.Of(matches, Count);
    }

    [Conditional("DEBUG")]
    private void AssertInvariants()
    {
        Debug.Assert(_live.Count() == Count, "records are counted");
    }
}
