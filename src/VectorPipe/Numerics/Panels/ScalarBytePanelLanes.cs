namespace VectorPipe.Numerics.Panels;

/// <summary>One candidate of four bytes, where there is no vector hardware.</summary>
internal readonly unsafe struct ScalarBytePanelLanes : IPanelLanes<ScalarBytePanelLanes>
{
    private readonly int _value;

    private ScalarBytePanelLanes(int value) => _value = value;

    public static int Count => 1;

    public static bool IsSupported => true;

    public static ScalarBytePanelLanes Load(byte* words) => new(*(int*)words);

    public static ScalarBytePanelLanes Broadcast(byte* word) => new(*(int*)word);

    public static ScalarBytePanelLanes Accumulate(ScalarBytePanelLanes sums, ScalarBytePanelLanes panel, ScalarBytePanelLanes row)
    {
        int sum = sums._value;
        for (int shift = 0; shift < 32; shift += 8)
            sum += (byte)(panel._value >> shift) * (sbyte)(row._value >> shift);
        return new(sum);
    }

    public static void Store(ScalarBytePanelLanes sums, byte* target) => *(int*)target = sums._value;
}
